/** The page's look; light or dark as the reader has it. */
export const style = `
:root {
  color-scheme: light dark;
  --back: light-dark(#f6f6f8, #111114);
  --card: light-dark(#fff, #1a1a1f);
  --line: light-dark(#e4e4ea, #2b2b33);
  --text: light-dark(#1d1d24, #ececf1);
  --soft: light-dark(#6d6d7a, #9a9aa8);
  --main: light-dark(#5b5bd6, #8f8ff5);
  --good: light-dark(#1a7f4b, #4cc38a);
  --warn: light-dark(#ad5700, #f1a10d);
  --bad: light-dark(#c62a2f, #ff8589);
}
* { box-sizing: border-box; margin: 0 }
body {
  display: grid; grid-template: auto 1fr / 11.5rem minmax(0, 1fr) 23rem; gap: 1rem;
  height: 100vh; padding: 1rem 1.25rem; background: var(--back); color: var(--text);
  font: 14px/1.45 system-ui, sans-serif;
}
header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; white-space: nowrap }
h1 { font-size: 1.15rem; letter-spacing: -.01em }
h2 { padding: .8rem 1rem; font-size: .95rem; border-bottom: 1px solid var(--line); text-transform: capitalize }
h2 small { color: var(--soft); font-weight: 400; margin-left: .3rem }
.tag { padding: .05rem .55rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--soft); font-size: .8rem }
#live { color: var(--good); border-color: currentColor }
#live.off { color: var(--bad) }
#budget { margin-left: auto; display: flex; align-items: center; gap: .6rem; color: var(--soft) }
#budget[hidden] { display: none }
#budget b { color: var(--text); font-variant-numeric: tabular-nums }
progress { width: 9rem; height: .5rem; accent-color: var(--main) }
nav { display: flex; flex-direction: column; gap: .1rem }
nav button {
  display: flex; justify-content: space-between; padding: .4rem .75rem; border: 0; border-radius: .5rem;
  background: none; color: inherit; font: inherit; text-transform: capitalize; cursor: pointer
}
nav button:hover { background: var(--line) }
nav button[aria-current] { background: var(--main); color: light-dark(#fff, #111114) }
nav span { opacity: .65; font-variant-numeric: tabular-nums }
main, aside { display: flex; flex-direction: column; min-height: 0; background: var(--card); border: 1px solid var(--line); border-radius: .8rem }
.scroll, ol { overflow: auto }
table { border-collapse: collapse; width: 100% }
th { position: sticky; top: 0; background: var(--card); color: var(--soft); font-weight: 500; font-size: .8rem; text-align: left }
th, td { padding: .5rem 1rem; border-bottom: 1px solid var(--line); white-space: nowrap; max-width: 22rem; overflow: hidden; text-overflow: ellipsis }
td.number { text-align: right; font-variant-numeric: tabular-nums }
td.empty { color: var(--soft) }
th.number { text-align: right }
tr.fresh, li.fresh { animation: fresh 2s }
@keyframes fresh { from { background: color-mix(in srgb, var(--main) 25%, transparent) } }
i { display: inline-block; width: .8em; height: .8em; margin-right: .45em; border-radius: .25em; vertical-align: -.05em }
a { color: var(--main) }
ol { padding: 0; list-style: none }
li { display: grid; grid-template-columns: 3.6rem minmax(0, 1fr) auto; gap: .5rem; padding: .4rem 1rem; border-bottom: 1px solid var(--line); font: 12.5px/1.5 ui-monospace, monospace }
li .path { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
li .method { color: var(--soft) }
.s2 { color: var(--good) } .s3 { color: var(--main) } .s4 { color: var(--warn) } .s5, .s0 { color: var(--bad) }
p { padding: 1.5rem 1rem; color: var(--soft) }
@media (max-width: 70rem) {
  body { grid-template: auto auto 1fr 1fr / minmax(0, 1fr) }
  nav { flex-flow: row wrap }
  nav button { gap: .5rem }
}
`
