// Gives a task to an intern and answers its permission requests, with OpenAI's client: npm install openai
import { createInterface } from 'node:readline/promises'
import OpenAI from 'openai'

const { BASE_URL, API_KEY, MODEL = 'signalbox/demo' } = process.env
const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }

async function request(method, path, body) {
  const response = await fetch(`${BASE_URL}${path}`, { method, headers, body: body && JSON.stringify(body) })
  const result = await response.json()
  if (!response.ok) throw new Error(result.error.message)
  return result
}

/** Sends a message and prints the reply. Returns the session, and the question with which the reply ends. */
async function send(intern, message, session_id) {
  const client = new OpenAI({ baseURL: `${BASE_URL}/interns/${intern}`, apiKey: API_KEY })
  const body = { model: MODEL, stream: true, session_id, approval_mode: 'manual', messages: [message] }
  const reply = {}
  for await (const chunk of await client.chat.completions.create(body)) {
    const { content, tool_calls } = chunk.choices[0]?.delta ?? {}
    process.stdout.write(content ?? '')
    reply.question ??= tool_calls?.[0]
    reply.session ??= chunk.session_id
  }
  console.log()
  return reply
}

const name = `example-${Date.now() % 100_000}`
const { id } = await request('POST', '/interns', { name, model: MODEL, approval_mode: 'manual', provision: true })
for (let status; status !== 'running'; ) {
  status = (await request('GET', `/interns/${id}`)).status
  if (status === 'failed') throw new Error('The intern failed to start.')
  await new Promise((resolve) => setTimeout(resolve, 500))
}

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const lines = terminal[Symbol.asyncIterator]()
let reply = await send(id, { role: 'user', content: 'run: echo hello > hello.txt && ls' })
while (reply.question) {
  const { operation, detail } = JSON.parse(reply.question.function.arguments)
  console.log(`The intern asks for "${operation}": ${detail}\nallow_once or reject_once?`)
  const { value = 'reject_once' } = await lines.next()
  reply = await send(id, { role: 'tool', tool_call_id: reply.question.id, content: value }, reply.session)
}
terminal.close()
await request('DELETE', `/interns/${id}`)
