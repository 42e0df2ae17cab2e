import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { loadConfig } from '#platform/config/load.ts'
import { type SettingName, settingNames } from '#platform/config/settings.ts'
import { freePort } from '../harness/service/free-port.ts'
import { killAfterTests } from '../harness/service/leftovers.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'

const folder = fileURLToPath(new URL('../../examples/', import.meta.url))

describe('the examples', () => {
  let [service, receiver]: [TestService?, string?] = []
  before(async () => {
    receiver = `http://127.0.0.1:${await freePort()}`
    service = await startTestService({ settings: { intern_users_from: 0, webhook_origins: [receiver] } })
  })
  after(() => service?.[Symbol.asyncDispose]())

  function run(name: string) {
    const { url, apiKey, managementKey } = service!
    const env = { PATH: process.env.PATH, BASE_URL: url, API_KEY: apiKey, MANAGEMENT_KEY: managementKey }
    const child = spawn(process.execPath, [`${folder}${name}`], { env: { ...env, RECEIVER: receiver } })
    killAfterTests(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    const sees = (expected: RegExp) =>
      until(
        () => expected.test(output),
        undefined,
        () => `${expected} in ${output}`,
      )
    const exited = once(child, 'close').then(([code]) => ({ code, output }))
    return { child, sees, exited }
  }

  for (const name of ['openai.mjs', 'anthropic.mjs'])
    test(`${name} prints the response of the demo model and its usage`, async () => {
      const { code, output } = await run(name).exited
      assert.equal(code, 0, output)
      assert.match(output, /^You said: Hello\. .*\n\d+ tokens\n$/)
    })

  test('intern.mjs runs a command after its permission', async () => {
    const { child, sees, exited } = run('intern.mjs')
    await sees(/The intern asks for "shell[^"]*": .*echo hello > hello\.txt && ls/)
    child.stdin.write('allow_once\n')
    const { code, output } = await exited
    assert.equal(code, 0, output)
    assert.match(output, /hello\.txt|without_sandbox/)
    assert.deepEqual(
      (await service!.ask('GET', '/interns')).body.data.filter((one: any) => one.status === 'running'),
      [],
    )
  })

  test('webhook.mjs receives a signed event and deletes its webhook', async () => {
    const { child, sees, exited } = run('webhook.mjs')
    await sees(/msg_\w+ webhook\.test \{/)
    child.kill('SIGTERM')
    const { code, output } = await exited
    assert.equal(code, 0, output)
    assert.deepEqual((await service!.manage('GET', '/webhooks')).body.data, [])
  })

  test('each file in agents/ is a valid configuration, and docs/agents.md links to it', () => {
    const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')
    for (const name of readdirSync(`${folder}agents`)) {
      const { agents } = loadConfig({ CONFIG: `${folder}agents/${name}` })
      assert.deepEqual(Object.keys(agents), [name.replace('.yaml', '')])
      assert.ok(page.includes(`](../examples/agents/${name})`), name)
    }
  })

  test('compose.yaml sets variables that exist, and the README lists each file', () => {
    const { services } = parse(readFileSync(`${folder}compose.yaml`, 'utf8'))
    const variables = Object.keys(services.signalbox.environment).filter((name) => !name.endsWith('_API_KEY'))
    for (const name of variables) assert.ok(settingNames.includes(name.toLowerCase() as SettingName), name)
    const readme = readFileSync(`${folder}README.md`, 'utf8')
    for (const name of readdirSync(folder)) assert.ok(name === 'README.md' || readme.includes(`](${name})`), name)
  })
})
