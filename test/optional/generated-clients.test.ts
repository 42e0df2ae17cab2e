/**
 * Clients that are generated from the description compile and call the service. They are installed by hand, in a folder
 * that TEST_GENERATORS names: `python3 -m venv venv && venv/bin/pip install openapi-python-client mypy` and
 * `npm install @hey-api/openapi-ts typescript@5 @types/node`.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startTestService } from '#test/harness/service/service.ts'

const tools = process.env.TEST_GENERATORS
const skip = !tools && 'TEST_GENERATORS does not name the folder of the generators'
const description = fileURLToPath(new URL('../../openapi.json', import.meta.url))
const newFolder = () => mkdtempSync(join(tmpdir(), 'generated-'))

const pythonCalls = `
import json, sys
from client import AuthenticatedClient
from client.api.completions import create_chat_completion
from client.api.models import count_models
from client.models import ChatRequest, Completion

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
body = ChatRequest.from_dict({"model": "signalbox/demo", "messages": [{"role": "user", "content": "Hello"}]})
response = create_chat_completion.sync(client=client, body=body)
assert isinstance(response, Completion), response
print(json.dumps(response.to_dict()))
count = count_models.sync(client=client)
assert count is not None and count.to_dict()["data"]["count"] > 0, count
`

const typescriptCalls = `
import { client } from './client/client.gen'
import { countModels, createChatCompletion } from './client/sdk.gen'

const [baseUrl, auth] = process.argv.slice(2)
client.setConfig({ baseUrl, auth })
const messages = [{ role: 'user' as const, content: 'Hello' }]
const { data, error } = await createChatCompletion({ body: { model: 'signalbox/demo', messages } })
if (!data) throw new Error(JSON.stringify(error))
const count = await countModels()
if (!count.data?.data.count) throw new Error(JSON.stringify(count.error))
console.log(JSON.stringify(data))
`

test('a Python client is generated, is well typed, and calls the service', { skip }, async () => {
  await using service = await startTestService()
  const folder = newFolder()
  const bin = join(tools!, 'venv/bin')
  const args = ['generate', '--path', description, '--output-path', join(folder, 'client'), '--meta', 'none']
  await run(join(bin, 'openapi-python-client'), args, folder)
  writeFileSync(join(folder, 'call.py'), pythonCalls)
  await run(join(bin, 'mypy'), ['call.py'], folder)
  const printed = await run(join(bin, 'python'), ['call.py', service.url, service.apiKey], folder)
  assert.match(JSON.parse(printed).choices[0].message.content, /Hello/)
})

test('a TypeScript client is generated, compiles, and calls the service', { skip }, async () => {
  await using service = await startTestService()
  const folder = newFolder()
  const bin = join(tools!, 'node_modules/.bin')
  await run(join(bin, 'openapi-ts'), ['-i', description, '-o', join(folder, 'client')], tools!)
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(join(folder, 'call.ts'), typescriptCalls)
  const types = ['--types', 'node', '--typeRoots', join(tools!, 'node_modules/@types')]
  const options = [
    '--strict',
    '--target',
    'es2023',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--outDir',
    'js',
  ]
  await run(join(bin, 'tsc'), [...options, ...types, '--skipLibCheck', 'call.ts'], folder)
  const printed = await run(
    process.execPath,
    ['--import', importsWithoutExtension, 'js/call.js', service.url, service.apiKey],
    folder,
  )
  assert.match(JSON.parse(printed).choices[0].message.content, /Hello/)
})

/** The generated code is for bundlers, which resolve imports without a file extension. */
const importsWithoutExtension = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) => {
  if (!name.startsWith('.') || name.endsWith('.js')) return next(name, context)
  try { return next(name + '.js', context) } catch { return next(name + '/index.js', context) }
} })`)}`

async function run(command: string, args: string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, timeout: 600_000, maxBuffer: 2 ** 26 })
    return stdout
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${message}\n${stdout}\n${stderr}`)
  }
}
