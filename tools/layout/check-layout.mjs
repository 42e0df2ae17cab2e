#!/usr/bin/env node
// node analyse.mjs CHECKOUT MAP.json : violations of the target layout
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const [root, mapFile] = process.argv.slice(2)
const map = JSON.parse(readFileSync(mapFile, 'utf8'))
const keys = Object.keys(map).sort((a, b) => b.length - a.length)
const dest = (f) => {
  for (const k of keys)
    if (f === k || (k.endsWith('/') && f.startsWith(k))) return map[k] + (k.endsWith('/') ? f.slice(k.length) : '')
  return f
}
const files = globSync(['src/**/*.ts'], { cwd: root }).filter((f) => !f.endsWith('.test.ts'))
const tos = new Map(files.map((f) => [f, dest(f)]))
const seen = new Map()
for (const [f, t] of tos) {
  if (seen.has(t)) console.log('CLASH', t, f, seen.get(t))
  seen.set(t, f)
}
const room = (f) => f.split('/')[1],
  sub = (f) => {
    const p = f.split('/')
    return p.length > 3 ? `${p[1]}/${p[2]}` : `${p[1]}/.`
  }
const allowed = JSON.parse(readFileSync(new URL('allowed.json', import.meta.url), 'utf8'))
const edges = []
for (const f of files) {
  const src = readFileSync(join(root, f), 'utf8')
  for (const m of src.matchAll(
    /(import|export)(\s+type)?\b([^;'"]*?)from\s*'([^']+)'|import\(\s*'([^']+)'|import\s+'([^']+)'/g,
  )) {
    const spec = m[4] ?? m[5] ?? m[6]
    if (!spec || !/^[#.]/.test(spec)) continue
    const names = m[3] ?? ''
    const isType =
      !!m[2] ||
      (/\{/.test(names) &&
        names
          .replace(/[{}]/g, '')
          .split(',')
          .map((s) => s.trim())
          .filter(Boolean)
          .every((s) => s.startsWith('type ')))
    const old = spec.startsWith('#') ? `src/${spec.slice(1)}` : normalize(join(dirname(f), spec))
    edges.push({ f, old, a: tos.get(f), b: tos.get(old) ?? dest(old), isType })
  }
}
const bad = edges.filter((e) => {
  const [x, y] = [room(e.a), room(e.b)]
  if (x === y) return false
  if (e.b.startsWith('src/platform/core/')) return false
  const al = allowed[x]
  if (!al) return true
  if (al.includes('*')) return (allowed[`!${x}`] ?? []).includes(y)
  return !al.includes(y) && !al.includes(sub(e.b))
})
console.log('room violations', bad.length)
for (const e of bad) console.log(`  ${e.isType ? 'type ' : 'VALUE'} ${room(e.a)} -> ${sub(e.b)}: ${e.f} -> ${e.old}`)
const pairs = new Map()
for (const e of edges) {
  const [x, y] = [sub(e.a), sub(e.b)]
  if (x === y || room(e.a) !== room(e.b)) continue
  const k = `${x} -> ${y}`
  const p = pairs.get(k) ?? { v: [], t: [] }
  ;(e.isType ? p.t : p.v).push(`${e.f} -> ${e.old}`)
  pairs.set(k, p)
}
const _only = process.argv[4]
for (const [k, p] of [...pairs].sort()) {
  const [x, y] = k.split(' -> ')
  const q = pairs.get(`${y} -> ${x}`)
  if (!q || x > y) continue
  if (p.v.length && q.v.length) {
    console.log('MUTUAL value', x, y, p.v.length, q.v.length)
    for (const s of [...p.v.slice(0, 22), '--', ...q.v.slice(0, 22)]) console.log('     ', s)
  }
}
const sizes = Object.entries(Object.groupBy([...tos.values()], (t) => dirname(t)))
  .map(([d, l]) => [l.length, d])
  .sort((a, b) => b[0] - a[0])
console.log(
  'largest',
  sizes
    .slice(0, 25)
    .map(([n, d]) => `${n} ${d}`)
    .join('\n  '),
)
