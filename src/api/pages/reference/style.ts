export const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto; padding: 1rem }
nav a { display: inline-block; margin-right: .6rem }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .5rem .75rem }
summary { cursor: pointer } summary span { opacity: .75; margin-left: .5rem }
summary b { display: inline-block; min-width: 4.2rem; font-size: .8rem; color: #2a6fb5 }
summary b.post { color: #2c8a4a } summary b.patch { color: #a8710c } summary b.delete { color: #c0392b }
table { border-collapse: collapse; width: 100% } td { border-top: 1px solid var(--line); padding: .25rem .5rem .25rem 0; vertical-align: top }
pre { background: var(--soft); padding: .75rem; overflow: auto; max-height: 24rem; border-radius: 6px }
code { font-size: .9em } h2 { margin-top: 2rem } h4 { margin: 1rem 0 .25rem }
`
