/**
 * Runs the worked examples of README.md and of every page in docs/, in the order of the page, each page against a fresh
 * service.
 *
 * Rules for the blocks of a document:
 * - Every block names its language. Every ```sh block is run with `sh`. It has the variables of the README ($BASE_URL,
 *   $MANAGEMENT_KEY and $API_KEY), which `npx signalbox` reads too, and writes the answer to standard output (`curl -s …`).
 *   A ```js block is run by Node, with the address of the service and the demo model. A ```yaml block is read by the
 *   command that reads such a file.
 * - The ```json block after a ```sh block is the complete expected answer. A ```sh block without one only has to succeed.
 * - In that answer `…` matches anything: a string "…" any value, "…" within a string any text, the member
 *   "…": "…" any further members, the item "…" at the end of a list any further items.
 * - A string "$NAME" matches any string the first time, and stores it: later blocks have it as the variable $NAME,
 *   and a later "$NAME" in an answer must be equal to it.
 * - A comment above a block can describe it: `<!-- file: NAME -->` names the file of a ```yaml block, for later ones;
 *   `<!-- not run: why -->` skips it. Every block that is not run needs a reason, except drawings.
 * - A block that reads data written a moment after an answer starts with `sleep`. This test also waits for the service,
 *   because a loaded machine can need longer than a page says.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { examplesIn } from '../docs/blocks.ts'
import { difference, type Kept } from '../docs/difference.ts'
import { newPageFolder, runners } from '../docs/run.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'

const documents = [
  'README.md',
  ...readdirSync(fileURLToPath(new URL('../../docs', import.meta.url)))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const hasCurl = spawnSync('curl', ['--version']).status === 0
const pageOf = (document: string) => readFileSync(fileURLToPath(new URL(`../../${document}`, import.meta.url)), 'utf8')

for (const document of documents) {
  const skip = hasCurl ? false : 'curl is not installed'
  test(`the examples of ${document} answer as they say`, { skip }, async () => {
    const examples = examplesIn(pageOf(document)).filter(({ mark }) => !mark?.startsWith('not run'))
    if (examples.length === 0) return
    // No provider receives this key: requests that cost money are refused in these examples.
    await using service = await startTestService({ variables: { OPENAI_API_KEY: 'sk-of-no-use' } })
    const { url, managementKey, apiKey } = service
    const stored: Kept = { BASE_URL: url, MANAGEMENT_KEY: managementKey, API_KEY: apiKey }
    const folder = newPageFolder()
    for (const example of examples) {
      const where = `${document}:${example.line}`
      if (example.text.startsWith('sleep ')) await until(() => allIsWritten(service))
      const output = await runners[example.language]?.(example, { folder, variables: stored }).catch((error: Error) => {
        throw new Error(`${where}: the command failed: ${error.message}`)
      })
      if (example.response === undefined || output === undefined) continue
      const wrong = difference(JSON.parse(output), JSON.parse(example.response), stored)
      assert.equal(wrong, undefined, `${where}: ${wrong}\nThe answer was ${output}`)
    }
    rmSync(folder, { recursive: true })
  })
}

/** No request waits for an answer, and every metered request is in the database. */
async function allIsWritten(service: TestService): Promise<boolean> {
  const { text } = await service.manage('GET', '/metrics')
  return (
    text.includes('signalbox_answers_in_flight 0\n') && text.includes('signalbox_ledger_waiting{where="memory"} 0\n')
  )
}

test('every block of the pages is run, or has a reason', () => {
  const silent = documents.flatMap((document) =>
    examplesIn(pageOf(document))
      .filter(({ language, mark }) => !(language in runners || language === 'mermaid' || mark?.startsWith('not run: ')))
      .map(({ line }) => `${document}:${line}`),
  )
  assert.deepEqual(silent, [])
})
