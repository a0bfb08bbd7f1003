{
  description = "Fieldproof: tests robot software in simulation and turns a run into evidence";
  outputs = { self }: import ./nix;
}
