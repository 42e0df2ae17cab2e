import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '#platform/config/load.ts'
import { startWithModels } from '../harness/records/model-catalogue.ts'
import { startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'
import { encodeResponse } from '../harness/upstream/upstream-responses.ts'

const prompt = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hi' }] })

test('provider keys lose surrounding whitespace, from variables and from requests', async () => {
  await using upstream = await startScriptedUpstream(() => encodeResponse('openai-chat', { text: 'Hello.' }, false))
  const base_url = '$' + '{MAKER_URL}'
  const maker = { name: 'Maker', protocol: 'openai-chat', base_url, credentials: ['EMPTY_KEY', 'MAKER_KEY'] }
  const variables = { EMPTY_KEY: ' \n', MAKER_KEY: ' operator-key\r\n', MAKER_URL: `${upstream.url}/v1\n` }
  await using service = await startWithModels({ 'maker/one': { endpoints: { maker: {} } } }, { variables }, { maker })
  const send = async () => {
    const { status, text } = await service.ask('POST', '/chat/completions', { body: prompt('maker/one') })
    assert.equal(status, 200, text)
    return upstream.requests.at(-1)?.headers.authorization
  }
  assert.equal(await send(), 'Bearer operator-key')
  const own = await service.manage('POST', '/byok', { provider: 'maker', key: '\town-key \n' })
  assert.equal(own.status, 201, own.text)
  assert.equal(await send(), 'Bearer own-key')
})

test('secrets of interns are accepted with surrounding whitespace', async () => {
  await using service = await startWithModels({})
  const server = { name: 'web', url: 'https://web.example/mcp', headers: { Authorization: 'Bearer token\n' } }
  const command = { name: 'files', command: 'files-server', env: { FILES_KEY: 'key\n' } }
  const credential = { username: 'ada ', password: ' token\n' }
  const repository = { url: 'https://git.example.com/team/widgets.git', credential }
  const body = { name: 'ada', repository, mcp_servers: [server, command] }
  const { status, text, body: intern } = await service.ask('POST', '/interns', { body })
  assert.equal(status, 201, text)
  assert.equal(intern.repository.credential.username, 'ada')
})

test('a pasted key signs in with surrounding whitespace', async () => {
  await using service = await startWithModels({})
  const { status } = await service.ask('POST', '/sessions', { key: null, body: { key: ` ${service.apiKey}\n` } })
  assert.equal(status, 201)
})

test('settings lose surrounding whitespace', () => {
  const key = `sb-v1-${'c'.repeat(64)}`
  const config = loadConfig({ OIDC_CLIENT_SECRET: 'secret\n', BOOTSTRAP_API_KEY: `${key}\r\n`, PORT: '9000 ' })
  assert.deepEqual([config.oidc_client_secret, config.bootstrap_api_key, config.port], ['secret', key, 9000])
})
