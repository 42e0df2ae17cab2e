/**
 * Two steps of a tool loop with @ai-sdk/openai, over each upstream protocol. `npm run test:ai-sdk-openai` installs it into a
 * temporary folder; TEST_AI_SDK_OPENAI can also name a folder where it is installed.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { upstreamProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest, type Received } from '#test/harness/upstream/scripted-upstream.ts'
import { encodeResponse } from '#test/harness/upstream/upstream-responses.ts'

const location = process.env.TEST_AI_SDK_OPENAI
const skip = location ? false : '@ai-sdk/openai is installed by "npm run test:ai-sdk-openai" only'

const weather = tool({
  description: 'Reports the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
})

/** Calls the tool after a text, and responses once it has the result. */
function respond(received: Received) {
  const { protocol, streamed } = parseRequest(received)
  const hasResult = received.text.includes('sunny in Rome')
  const call = { text: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Rome' } }] }
  return encodeResponse(protocol, hasResult ? { text: 'It is sunny.' } : call, streamed)
}

describe('@ai-sdk/openai, a tool loop of two steps', { skip }, () => {
  let recorded: RecordedProviders
  let createOpenAI: (options: object) => { responses: (model: string) => any }
  before(async () => {
    recorded = await startWithUpstream(respond, ['coder'])
    const entry = pathToFileURL(join(installed(), 'node_modules/@ai-sdk/openai/dist/index.js')).href
    ;({ createOpenAI } = await import(entry))
  })
  after(() => recorded[Symbol.asyncDispose]())

  function loop(protocol: string, store: boolean | undefined) {
    const { apiKey, url: baseURL } = recorded.service
    return {
      model: createOpenAI({ apiKey, baseURL }).responses(`${protocol}/coder`),
      prompt: 'Weather in Rome?',
      tools: { weather },
      stopWhen: stepCountIs(2),
      maxRetries: 0,
      ...(store !== undefined && { providerOptions: { openai: { store } } }),
    }
  }

  for (const protocol of upstreamProtocols) {
    test(`${protocol}: works with store: false`, async () => {
      assert.equal((await generateText(loop(protocol, false))).text, 'It is sunny.')
      assert.equal(await streamText(loop(protocol, false)).text, 'It is sunny.')
      const sent = recorded.upstream.requests.at(-1)!.text
      assert.ok(sent.includes('Let me look.') && sent.includes('sunny in Rome'), sent)
    })

    test(`${protocol}: the error of a reference names the option to set`, async () => {
      await assert.rejects(generateText(loop(protocol, undefined)), /set providerOptions\.openai\.store to false/)
    })
  }
})

function installed(): string {
  if (location && location !== 'install') return location
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-ai-sdk-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '@ai-sdk/openai@4.0.118'])
  return folder
}
