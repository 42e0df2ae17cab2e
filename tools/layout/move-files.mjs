#!/usr/bin/env node
// Moves source files by a map of paths and rewrites imports and paths in text. Usage: node move-files.mjs MAP.json
// Imports carry whole paths with extensions, so no syntax tree is needed. Run `npx biome check --write .` afterwards.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, posix } from 'node:path'

const map = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8', maxBuffer: 1e9 })
  .split('\0')
  .filter((f) => f && existsSync(f))
const keys = Object.keys(map).sort((a, b) => b.length - a.length)

/** The new path of a file, or of a folder that ends with a slash. */
function newPath(path) {
  for (const key of keys) {
    if (path === key) return map[key]
    if (key.endsWith('/') && path.startsWith(key)) return map[key] + path.slice(key.length)
  }
  return path
}
const targets = new Map(tracked.map((file) => [file, newPath(file)]))
const taken = new Set()
for (const target of targets.values()) {
  if (taken.has(target)) throw new Error(`Two files would become ${target}`)
  taken.add(target)
}

function rewriteSpecifier(file, keyword, specifier) {
  const target = targets.get(file)
  if (specifier.startsWith('#test/')) return specifier
  if (specifier.startsWith('#')) {
    const old = `src/${specifier.slice(1)}`
    const [from, to] = [target.split('/'), (targets.get(old) ?? newPath(old)).split('/')]
    if (/^(from|import)/.test(keyword) && from[0] === 'src' && from[1] === to[1])
      return keyword.startsWith('from') ? relativeTo(target, to.join('/')) : `#${to.join('/').slice('src/'.length)}`
    return `#${to.join('/').slice('src/'.length)}`
  }
  const old = normalize(join(dirname(file), specifier))
  if (!targets.has(old) && !existsSync(old)) return specifier
  const moved = targets.get(old) ?? newPath(specifier.endsWith('/') ? `${old.replace(/\/$/, '')}/` : old)
  const [from, to] = [target.split('/'), moved.split('/')]
  if (/^(from|import)/.test(keyword) && from[0] === 'src' && to[0] === 'src' && from[1] !== to[1])
    return `#${moved.slice('src/'.length)}`
  return relativeTo(target, moved, specifier.endsWith('/'))
}
function relativeTo(from, to, isFolder = false) {
  const path = posix.relative(dirname(from), to)
  const dotted = path.startsWith('.') ? path : `./${path}`
  return isFolder && !dotted.endsWith('/') ? `${dotted}/` : dotted
}

const code = /\.(ts|tsx|js|mjs)$/
const text = /\.(ts|tsx|js|mjs|md|json|sh|yml|yaml)$|^\.ci\/|^Containerfile$/
for (const file of tracked) {
  if (!text.test(file) || file === 'package-lock.json' || file === process.argv[2]) continue
  const before = readFileSync(file, 'utf8')
  let after = before
  if (code.test(file))
    after = after.replace(
      /\b((?:from|import|import\.meta\.resolve)\s*\(?\s*|new URL\(\s*)'((?:#|\.\.?\/)[^'\n]*)'/g,
      (_all, keyword, specifier) => `${keyword}'${rewriteSpecifier(file, keyword, specifier)}'`,
    )
  // Paths in prose and strings.
  after = after.replace(/(?<![\w#-]|\w\/)src\/[\w./-]*[\w/]/g, (path) => {
    const asFolder = path.endsWith('/') ? path : `${path}/`
    if (targets.has(path)) return targets.get(path)
    if (existsSync(path) || keys.includes(asFolder))
      return newPath(asFolder).replace(/\/$/, path.endsWith('/') ? '/' : '')
    return path
  })
  after = after.replace(/(?<=`)#([a-z][\w-]*\/[\w./-]+\.ts)/g, (all, path) =>
    targets.has(`src/${path}`) ? `#${targets.get(`src/${path}`).slice(4)}` : all,
  )
  if (after !== before) writeFileSync(file, after)
}
let moved = 0
for (const [file, target] of targets) {
  if (file === target) continue
  mkdirSync(dirname(target), { recursive: true })
  renameSync(file, target)
  moved++
}
console.log(`${moved} files moved`)
