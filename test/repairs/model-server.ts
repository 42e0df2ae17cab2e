import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { Engineer, ModelTurn } from './engineers.ts'
import { failed } from './reading.ts'
import type { Call } from './task.ts'

type Message = { role: string; content: string | null; tool_calls?: unknown[] }
type Body = { messages: Message[]; tools?: unknown[] }

/** The recorded work of one engineer. */
type Work = { engineer: Engineer; turns: number; calls: number; failed: number; contextTokens: number }

/** A model service whose models are scripted engineers. The workspace in the prompt decides which engineer answers. */
export async function serveEngineers() {
  const works = new Map<string, Work>()
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    const body = JSON.parse(text) as Body
    const workspace = /The workspace is (.+?)\. Today/.exec(body.messages[0]?.content ?? '')?.[1] ?? ''
    const work = works.get(workspace)
    const tokens = estimateTokens(text.length)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (chunk: object) => response.write(`data: ${JSON.stringify({ model: 'engineer', ...chunk })}\n\n`)
    const modelTurn = work && body.tools ? modelTurnOf(work, body, tokens) : { text: 'Worked on the task so far.' }
    say(modelTurn, send)
    send({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: 50 } })
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    engage(workspace: string, engineer: Engineer): Work {
      const work = { engineer, turns: 0, calls: 0, failed: 0, contextTokens: 0 }
      works.set(workspace, work)
      return work
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Passes the messages since the engineer's last response to the engineer. */
function modelTurnOf(work: Work, { messages }: Body, tokens: number): ModelTurn {
  const spoke = messages.findLastIndex(({ role }) => role === 'assistant')
  const texts = messages.slice(spoke + 1).flatMap(({ role, content }) => (role === 'system' ? [] : [content ?? '']))
  work.turns++
  work.failed += texts.filter(failed).length
  work.contextTokens = Math.max(work.contextTokens, tokens)
  const { value } = work.engineer.next(texts)
  const response = value ?? { text: 'There is nothing left to do.' }
  work.calls += response.calls?.length ?? 0
  return response
}

function say({ text, calls = [] }: ModelTurn, send: (chunk: object) => void): void {
  const delta = (part: object) => send({ choices: [{ index: 0, delta: part }] })
  if (text) delta({ content: text })
  for (const [index, call] of calls.entries()) {
    const { name } = call
    delta({ tool_calls: [{ index, id: `call_${crypto.randomUUID()}`, function: { name, arguments: '' } }] })
    for (const piece of parseArguments(call).match(/.{1,4000}/gs) ?? [])
      delta({ tool_calls: [{ index, function: { arguments: piece } }] })
  }
  const finish = calls.some(({ cut }) => cut) ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
  send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })
}

const parseArguments = ({ raw, input }: Call) => raw ?? JSON.stringify(input ?? {})
