/** Runs the fenced blocks of a page, with a runner for each language. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Example } from './blocks.ts'
import type { Kept } from './difference.ts'

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * A folder in which `npx signalbox` and the packages of clients are found, as in a cloned repository. Its `npx` starts
 * `signalbox` itself: npm takes three times as long for it, and .ci/fresh-clone runs the real one.
 */
export function newPageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-page-'))
  mkdirSync(join(folder, 'node_modules'))
  mkdirSync(join(folder, 'commands'))
  const npx = '#!/bin/sh\n[ "$1" = signalbox ] || exit 64\nshift\nexec "$PAGE_NODE" "$PAGE_CLI" "$@"\n'
  writeFileSync(join(folder, 'commands/npx'), npx, { mode: 0o755 })
  for (const client of ['openai', '@openrouter'])
    symlinkSync(inRepository(`node_modules/${client}`), join(folder, 'node_modules', client))
  return folder
}

type Page = { folder: string; variables: Kept }

/** Runs a block by its language. @returns its output. @throws Error if it fails. */
export const runners: Record<string, (block: Example, page: Page) => Promise<string>> = {
  sh: (block, page) => execute('sh', ['-euc', block.text], page),
  js: ({ text }, page) => {
    // Replaces the address of the service, and uses a model that works without a provider key.
    const here = text.replaceAll(/http:\/\/127\.0\.0\.1:8080\/api\/v1/g, page.variables.BASE_URL!)
    const code = here.replaceAll(/model: '[^']+'/g, `model: 'signalbox/demo'`)
    return execute(process.execPath, ['--input-type=module', '-e', code], page)
  },
  yaml: ({ text, line, mark }, page) => {
    const name = mark?.match(/^file: (\S+)$/)?.[1] ?? `line-${line}.yaml`
    writeFileSync(join(page.folder, name), text)
    return checkYaml(text, name, page)
  },
}

/** Checks that a configuration of another router, a catalogue or settings is accepted by the command that reads it. */
function checkYaml(text: string, name: string, page: Page): Promise<string> {
  const variables = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, variable = '']) => [variable, exampleOf(variable)])
  const named = { ...page, variables: { ...page.variables, ...Object.fromEntries(variables) } }
  if (/^model_list:/m.test(text)) return signalbox(['import', 'litellm', name, '--dry-run'], named)
  if (/^(providers|models|about):/m.test(text)) return signalbox(['catalogue', 'check', name], named)
  return signalbox(['config'], { ...named, variables: { ...named.variables, CONFIG: name } })
}

const exampleOf = (variable: string) => (variable.endsWith('_BASE') ? 'https://example.com' : 'example')

const signalbox = (args: string[], page: Page) => execute(process.execPath, [inRepository('bin/cli.ts'), ...args], page)

async function execute(command: string, args: string[], { folder, variables }: Page): Promise<string> {
  const PATH = `${join(folder, 'commands')}:${process.env.PATH}`
  const env = { ...process.env, ...variables, PATH, PAGE_NODE: process.execPath, PAGE_CLI: inRepository('bin/cli.ts') }
  return (await promisify(execFile)(command, args, { cwd: folder, env, timeout: 120_000 })).stdout
}
