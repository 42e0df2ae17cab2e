import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { providerFacts, type UpstreamProtocol } from '#test/harness/upstream/provider-facts.ts'
import type { Body } from './asker.ts'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** @returns the violations of the provider's API description for each body. */
export async function complaints(protocol: UpstreamProtocol, bodies: readonly Body[]): Promise<Map<Body, string>> {
  const { described } = providerFacts[protocol]
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-described-'))
  try {
    symlinkSync(packages, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'requests.ts'), [described, ...bodies.map(claimOf)].join('\n'))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const first = described.split('\n').length + 1
    const result = new Map<Body, string>()
    for (const { line, message } of errorsIn(await compiled(folder)))
      result.set(bodies[line - first]!, [result.get(bodies[line - first]!), message].filter(Boolean).join('\n'))
    return result
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const config = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['node'],
  },
  files: ['requests.ts'],
}

/** Text that is long is as good short. */
const claimOf = (body: Body, at: number) =>
  `export const r${at} = ${JSON.stringify(body, (_name, value) => (typeof value === 'string' && value.length > 300 ? value.slice(0, 300) : value))} satisfies Described`

function compiled(folder: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const limits = { cwd: folder, maxBuffer: 256 * 1024 * 1024 }
  execFile(join(packages, '.bin/tsc'), ['--pretty', 'false'], limits, (_error, stdout, stderr) =>
    resolve(stdout + stderr),
  )
  return promise
}

function errorsIn(output: string): { line: number; message: string }[] {
  const errors: { line: number; message: string }[] = []
  for (const text of output.split('\n')) {
    const [, line, message] = /^requests\.ts\((\d+),\d+\): error (.*)$/.exec(text) ?? []
    if (line !== undefined) errors.push({ line: Number(line), message: message! })
    else if (errors.length > 0 && text !== '') errors.at(-1)!.message += `\n${text}`
    else if (text.includes('error')) throw new Error(text)
  }
  return errors
}
