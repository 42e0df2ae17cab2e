import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from '@babel/parser'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

test('no function is written where a member takes it: V8 would put it, and all that it sees, among the old objects', () => {
  const found = sources.flatMap((file) =>
    placesIn(readFileSync(join(root, file), 'utf8')).map((line) => `${file}:${line}`),
  )
  assert.deepEqual(found, [])
  assert.deepEqual(placesIn('function f(o) {\n  o.act = () => o\n}\nexports.g = () => f'), [2])
})

/** The lines, within functions, at which a function is assigned to a member. */
function placesIn(source: string): number[] {
  const lines: number[] = []
  const walk = (node: any, isInside: boolean): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) return node.forEach((one) => void walk(one, isInside))
    const isFunction = /Function|Method/.test(node.type)
    if (isInside && node.type === 'AssignmentExpression' && /Member/.test(node.left.type))
      if (/FunctionExpression/.test(node.right.type)) lines.push(node.loc.start.line)
    for (const name in node) if (name !== 'loc') walk(node[name], isInside || isFunction)
  }
  walk(parse(source, { sourceType: 'module', plugins: ['typescript'] }).program, false)
  return lines
}
