/**
 * Runs the worked examples of README.md and of every page in docs/, each page against a fresh service of its own.
 *
 * The convention, for whoever writes such a document:
 * - Every ```sh block is run, in order, with `sh`. It finds $BASE_URL, $MANAGEMENT_KEY and $API_KEY set, and writes the
 *   answer to standard output (`curl -s …`). What is not to be run goes into a block of another language.
 * - The ```json block after it is the whole answer expected. A sh block without one has only to succeed.
 * - In that answer `…` stands for anything: a string "…" for any value, "…" within a string for any text, the member
 *   "…": "…" for any further members, the item "…" at the end of a list for any further items.
 * - A string "$NAME" stands for any string the first time, and keeps it: later blocks find it as the variable $NAME,
 *   and wherever "$NAME" is expected again it must be the same.
 */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startTestService } from './harness/service.ts'

const documents = [
  'README.md',
  ...readdirSync(fileURLToPath(new URL('../docs', import.meta.url)))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const hasCurl = spawnSync('curl', ['--version']).status === 0

for (const document of documents) {
  const path = fileURLToPath(new URL(`../${document}`, import.meta.url))
  const skip = hasCurl ? false : 'curl is not installed'
  test(`the examples of ${document} answer as they say`, { skip }, async () => {
    // Nothing is sent with it: what costs money is refused in these examples.
    await using service = await startTestService({ variables: { OPENAI_API_KEY: 'sk-of-no-use' } })
    const kept: Kept = { BASE_URL: service.url, MANAGEMENT_KEY: service.managementKey, API_KEY: service.apiKey }
    for (const { line, command, answer } of examplesIn(readFileSync(path, 'utf8'))) {
      const output = await run(command, kept, `${document}:${line}`)
      if (answer === undefined) continue
      const wrong = difference(JSON.parse(output), JSON.parse(answer), kept)
      assert.equal(wrong, undefined, `${document}:${line}: ${wrong}\nThe answer was ${output}`)
    }
  })
}

type Kept = Record<string, string>
type Example = { line: number; command: string; answer: string | undefined }

function examplesIn(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1],
    text: match[2] ?? '',
    line: markdown.slice(0, match.index).split('\n').length,
  }))
  return blocks.flatMap((block, i) => {
    if (block.language !== 'sh') return []
    const next = blocks[i + 1]
    return [{ line: block.line, command: block.text, answer: next?.language === 'json' ? next.text : undefined }]
  })
}

async function run(command: string, kept: Kept, where: string): Promise<string> {
  const env = { ...process.env, ...kept }
  try {
    return (await promisify(execFile)('sh', ['-euc', command], { env, timeout: 60_000 })).stdout
  } catch (error) {
    throw new Error(`${where}: the command failed: ${(error as Error).message}`)
  }
}

/** Where an answer departs from what is expected of it; undefined where it does not. */
function difference(actual: any, expected: any, kept: Kept, path = 'the answer'): string | undefined {
  if (typeof expected === 'string') return textDifference(actual, expected, kept, path)
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(actual, expected) ? undefined : `${path} is ${JSON.stringify(actual)}, not ${expected}`
  }
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(expected)) {
    return `${path} is ${JSON.stringify(actual)}`
  }
  const isOpen = Array.isArray(expected) ? expected.at(-1) === '…' : '…' in expected
  const open = Array.isArray(expected) ? String(expected.length - 1) : '…'
  const wanted = Object.keys(expected).filter((key) => !isOpen || key !== open)
  const extra = Object.keys(actual).filter((key) => !(key in expected))
  if (!isOpen && extra.length > 0) return `${path} also has ${extra.join(', ')}`
  for (const key of wanted) {
    if (!(key in actual)) return `${path} has no ${key}`
    const wrong = difference(actual[key], expected[key], kept, `${path}.${key}`)
    if (wrong) return wrong
  }
  return undefined
}

function textDifference(actual: unknown, expected: string, kept: Kept, path: string): string | undefined {
  if (expected === '…') return undefined
  const name = /^\$([A-Z_]+)$/.exec(expected)?.[1]
  if (name && !(name in kept) && typeof actual === 'string') kept[name] = actual
  const wanted = name ? (kept[name] ?? expected) : expected
  const pattern = new RegExp(`^${wanted.split('…').map(RegExp.escape).join('.*')}$`, 's')
  return typeof actual === 'string' && pattern.test(actual)
    ? undefined
    : `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`
}
