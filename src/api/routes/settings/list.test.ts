import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadSettings } from '#platform/config/load.ts'
import { settingNames } from '#platform/config/settings.ts'
import { startTestService } from '#test/harness/service/service.ts'

test('every setting is returned with its value and source', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-settings-'))
  const path = join(folder, 'signalbox.yaml')
  writeFileSync(path, 'connect_timeout_ms: 4000\nregions: { eu.example: europe }\nport: 9000\n')
  const { config, sources } = loadSettings({ CONFIG: path, PORT: '0', LOG_LEVEL: '' })
  const { connect_timeout_ms, regions } = config
  await using service = await startTestService({ settings: { connect_timeout_ms, regions }, sources })
  const { data } = (await service.manage('GET', '/settings')).body
  rmSync(folder, { recursive: true })
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    settingNames,
  )
  const settingOf = (name: string) => {
    const { value, source, source_name, variable } = data.find((one: { name: string }) => one.name === name)
    return [value, source, source_name, variable]
  }
  assert.deepEqual(settingOf('port'), [0, 'environment', 'PORT', 'PORT'])
  assert.deepEqual(settingOf('connect_timeout_ms'), [4000, 'file', path, 'CONNECT_TIMEOUT_MS'])
  assert.deepEqual(settingOf('regions'), [{ 'eu.example': 'europe' }, 'file', path, null])
  assert.deepEqual(settingOf('log_level'), ['info', 'default', null, 'LOG_LEVEL'])
  const { default: usual, meaning } = data.find(({ name }: { name: string }) => name === 'port')
  assert.deepEqual([usual, meaning], [8080, 'The port to listen on; 0: any free port.'])
})

test('secrets and the commands of agents are not returned', async () => {
  const secret = 'a-secret-of-the-operator'
  const agents = {
    coder: { command: 'coder', args: ['--key', secret], env: { CODER_KEY: secret }, _meta: { token: secret } },
  }
  const settings = { agents, oidc_client_secret: secret }
  await using service = await startTestService({ settings })
  const { body, text } = await service.manage('GET', '/settings')
  assert.doesNotMatch(text, new RegExp(`${secret}|${service.managementKey}|${service.apiKey}`))
  const named = (name: string) => body.data.find((one: { name: string }) => one.name === name)
  assert.deepEqual(named('agents').value, { coder: { command: 'coder', variables: ['CODER_KEY'] } })
  const { value, is_set, is_secret } = named('oidc_client_secret')
  assert.deepEqual([value, is_set, is_secret], [null, true, true])
  assert.equal(named('database_url').is_secret, true)
})

test('an API key gets no settings', async () => {
  await using service = await startTestService()
  for (const path of ['/settings', '/catalogue']) assert.equal((await service.ask('GET', path)).status, 403)
})
