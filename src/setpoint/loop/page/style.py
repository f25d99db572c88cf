"""How the page looks, in light and in dark."""

from typing import Final

CSS: Final = """
:root{color-scheme:light dark;--paper:#f6f7f9;--card:#fff;--ink:#1c2127;--soft:#5b6673;--line:#dde2e8;
--ready:#1a7f46;--pending:#0b6e99;--degraded:#9a6700;--held:#8a3fb5;--failed:#c62f2f;--mono:#f1f3f6}
@media(prefers-color-scheme:dark){:root{--paper:#12161b;--card:#1a2027;--ink:#e4e9ef;--soft:#98a4b1;
--line:#2c343d;--ready:#4cc27f;--pending:#54b6de;--degraded:#d9a441;--held:#c48be3;--failed:#f17575;
--mono:#11161b}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.2rem 1rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,.head{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .7rem}
.grow{flex:1}
h1{font-size:1.25rem;margin:0}h2{font-size:1.1rem;margin:0}
h3{font-size:.78rem;margin:1.1rem 0 .35rem;color:var(--soft);text-transform:uppercase;letter-spacing:.05em}
p{margin:.4rem 0}small,.about,footer,.note{color:var(--soft)}
.chip,.state{border-radius:99px;padding:.1rem .65rem;font-size:.8rem;font-weight:600;
border:1px solid currentColor}
.chip{color:var(--ready)}.chip.watch{color:var(--degraded)}
.state{color:var(--soft)}.READY{color:var(--ready)}.PENDING{color:var(--pending)}
.DEGRADED{color:var(--degraded)}
.HELD{color:var(--held)}.FAILED{color:var(--failed)}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.1rem;
margin:1rem 0}
.reason{font-size:1.02rem;overflow-wrap:anywhere}
.banner{border:1px solid var(--failed);color:var(--failed);border-radius:8px;padding:.5rem .8rem;
font-weight:600}
code,.diff{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{background:var(--mono);border:1px solid var(--line);border-radius:5px;padding:.1rem .4rem;
user-select:all;
overflow-wrap:anywhere}
.held{list-style:none;margin:0;padding:0}
.held li{border-left:3px solid var(--held);padding:.1rem 0 .1rem .8rem;margin:.5rem 0;
overflow-wrap:anywhere}
.held span,.held code{display:block;margin-top:.25rem}.held span{color:var(--soft)}
.held code{width:fit-content}
.diff{background:var(--mono);border:1px solid var(--line);border-radius:8px;padding:.5rem .8rem;
overflow-x:auto;
white-space:pre}
.add{color:var(--ready)}.change{color:var(--degraded)}.gone{color:var(--failed)}
table{width:100%;border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;padding:.28rem .8rem .28rem 0;border-bottom:1px solid var(--line);vertical-align:top;
overflow-wrap:anywhere}
td:first-child{white-space:nowrap;color:var(--soft);width:6rem}
button{font:inherit;font-weight:600;color:var(--card);background:var(--failed);border:0;border-radius:7px;
padding:.32rem .8rem;cursor:pointer}
.head button{background:transparent;color:var(--failed);border:1px solid var(--failed)}
button.resume,.head button.resume{background:var(--ready);color:var(--card);border-color:var(--ready)}
button:focus-visible,a:focus-visible,.diff:focus-visible{outline:3px solid var(--pending);
outline-offset:2px}
a{color:var(--pending)}footer{font-size:.85rem;margin-top:1.4rem}
""".replace("\n", "")
