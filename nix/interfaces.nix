# Interface packages that no wheel offers, compiled against the base environment. Their sources
# define the same fields as the packages of those names in ROS 2.
{ boot, base }:
boot.run "ros-interfaces"
{
  inherit base;
  inherit (boot) compiler;
  disallowedReferences = [ boot.compiler ]; # 240 MB that nobody would need at run time
  PYTHONPATH = "${boot.compiler}/usr/lib/python3/dist-packages"; # empy, for the generators
} ''
  ${base}/bin/python -B ${./build_interfaces.py} ${./interfaces} >/dev/null # says each file
  ${boot.python}/usr/bin/python3 -I -B -m compileall -f -q --invalidation-mode unchecked-hash $out
''
