import sys
from setpoint.engine import tenure
tenure.SHARDS = 8
from simulation.run import judged, prepared
from simulation.weather import CALM

prepared()
seed=int(sys.argv[1]); calm="calm" in sys.argv
if "-" in sys.argv: 
    import time
    t=time.process_time(); n=0; sim=0
    for seed in range(seed,int(sys.argv[3])):
        v=judged(seed); n+=1; sim+=v.simulated
        if v.violation: print(seed, v.violation[:400])
    print(n, "seeds", (time.process_time()-t)/n, "s each", sim/n, "simulated")
    raise SystemExit
v=judged(seed, traced="trace" in sys.argv, weather=CALM if calm else None)
if v.trace: print("\n".join(v.trace[-int(sys.argv[-1]):]))
if "count" in sys.argv: print(dict(sorted(v.counted.items())))
print(v.violation or "good", v.digest, v.counted["steps"], f"{v.simulated:.0f} s simulated", f"{v.took:.2f} s cpu")
