import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const files = globSync('{src,bin,console,test,bench}/**/*.{ts,tsx}', { cwd: root })
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** Modules whose exports are found by a computed name. */
const loadedByName = /^(bin\/service|console\/server\/.*|src\/platform\/json\/lazy-zod|test\/harness\/.*\/facts)\.ts$/

const importOf = /(?:^|\n)(?:import|export)(?:\s+type)?\s+([^;'"]*?)\s*\bfrom\s*'([#.][^']+)'/g
const dynamicImport = /(?:import|URL)\('([#.][^']+\.tsx?)'/g
const exported = /^export (?:async )?(?:const|function|class|type|interface) (\w+)/gm

function targetOf(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier))
  return specifier.replace(/^#(test\/)?/, (_, test) => test ?? 'src/')
}

test('each exported name is imported by another file', () => {
  const imported = new Map<string, Set<string>>()
  const isImported = (file: string, name: string) => imported.get(file)?.has(name) || imported.get(file)?.has('*')
  const note = (file: string, name: string) => imported.set(file, (imported.get(file) ?? new Set()).add(name))
  for (const file of files) {
    const text = textOf(file)
    for (const [, names = '', specifier = ''] of text.matchAll(importOf)) {
      const target = targetOf(file, specifier)
      if (names.startsWith('*')) note(target, '*')
      for (const [, name = ''] of names.matchAll(/(?:^|[{,])\s*(?:type\s+)?(\w+)/g)) note(target, name)
    }
    for (const [, specifier = ''] of text.matchAll(dynamicImport)) note(targetOf(file, specifier), '*')
  }
  const unused = files
    .filter((file) => !loadedByName.test(file) && file !== 'console/api/types.ts')
    .flatMap((file) =>
      [...textOf(file).matchAll(exported)]
        .filter(([, name = '']) => !isImported(file, name))
        .map(([, name]) => `${file} ${name}`),
    )
  assert.deepEqual(unused, [])
})
