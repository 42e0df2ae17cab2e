/** Adds new names to `names.json`. Never removes one: see README.md in this folder. */
import { readFileSync, writeFileSync } from 'node:fs'
import { collectNames, type FrozenNames } from './collect.ts'

const file = new URL('names.json', import.meta.url)
const before = readBefore()
const merged: FrozenNames = {}
for (const [kind, names] of Object.entries(await collectNames())) {
  merged[kind] = [...new Set([...(before[kind] ?? []), ...names])].sort()
}
writeFileSync(file, `${JSON.stringify(merged, null, 2)}\n`)

function readBefore(): FrozenNames {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
