import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { UserFacingError } from '../core/fault.ts'
import type { Environment } from '../process/environment.ts'
import { loadConfig } from './load.ts'
import { secretSettings, settingNames } from './settings.ts'
import { showConfig } from './show.ts'

const folder = mkdtempSync(join(tmpdir(), 'signalbox-config-'))
after(() => rmSync(folder, { recursive: true }))

function configFile(text: string): string {
  const path = join(folder, 'signalbox.yaml')
  writeFileSync(path, text)
  return path
}

/** The error message for a configuration. */
function refusal(env: Environment): string {
  try {
    loadConfig(env)
  } catch (error) {
    assert.ok(error instanceof UserFacingError)
    assert.ok(!error.message.includes('\n'))
    return error.message
  }
  return assert.fail('the configuration was taken')
}

test('nothing needs to be set', () => {
  const config = loadConfig({})
  assert.deepEqual([config.host, config.port, config.data_dir], ['127.0.0.1', 8080, './data'])
})

test('the environment beats the file, and the file the defaults', () => {
  const CONFIG = configFile('port: 9000\nhost: 0.0.0.0\n')
  const config = loadConfig({ CONFIG, PORT: '9001' })
  assert.deepEqual([config.port, config.host, config.log_level], [9001, '0.0.0.0', 'info'])
})

test('a variable that is set but empty counts as not set', () => {
  const CONFIG = configFile('port: 9000\n')
  assert.equal(loadConfig({ CONFIG, PORT: '', DATABASE_URL: '' }).port, 9000)
  assert.equal(loadConfig({ CONFIG: '', PORT: '' }).port, 8080)
})

test('a truth value reads the same from the file and from the environment', () => {
  const CONFIG = configFile('starter_catalogue: false\n')
  assert.equal(loadConfig({ CONFIG }).starter_catalogue, false)
  assert.equal(loadConfig({ CONFIG, STARTER_CATALOGUE: 'true' }).starter_catalogue, true)
})

test('a setting without a value in the file counts as not set', () => {
  assert.equal(loadConfig({ CONFIG: configFile('port:\nhost: ""\n') }).port, 8080)
})

test('a setting with structure is refused in the environment', () => {
  for (const name of ['zdr_vendors', 'regions', 'agents'])
    assert.match(
      refusal({ [name.toUpperCase()]: 'anthropic' }),
      new RegExp(`^${name.toUpperCase()} is not an environment variable: set ${name} in`),
    )
})

test('an empty file is as good as none', () => {
  assert.equal(loadConfig({ CONFIG: configFile('# nothing yet\n') }).port, 8080)
})

test('a bad value is refused with the name of the setting and where it came from', () => {
  assert.match(refusal({ PORT: '70000' }), /^The setting port from the environment variable PORT is invalid: .*65535/)
  assert.match(refusal({ PORT: 'http' }), /^The setting port from .* is invalid: must be a number$/)
  assert.match(refusal({ PORT: '8080.5' }), /PORT is invalid: must be a whole number$/)
  assert.match(refusal({ CONFIG: configFile('regions: eu\n') }), /is invalid: expected object, received string$/)
  assert.match(
    refusal({ CONFIG: configFile('agents: {"": {}}\n') }),
    /^The setting agents\."" from .*has an invalid name/,
  )
  assert.match(refusal({ WORKERS: 'two' }), /WORKERS is invalid: must be "auto" or a whole number from 1 to 256$/)
  const CONFIG = configFile('log_level: loud\n')
  assert.match(refusal({ CONFIG }), /^The setting log_level from the configuration file .*signalbox\.yaml is invalid/)
})

test('a bad value within a setting is named by its path', () => {
  const CONFIG = configFile('zdr_vendors:\n  a: { author: "Big Co", suffix: big }\n')
  assert.match(refusal({ CONFIG }), /zdr_vendors\.a\.author/)
  const args = configFile('agents: { a: { command: a, args: [1] } }\n')
  assert.match(
    refusal({ CONFIG: args }),
    /^The setting agents\.a\.args\.0 from .*: expected string, received number; write the value in quotes$/,
  )
})

test('a refusal does not repeat a secret', () => {
  assert.ok(!refusal({ BOOTSTRAP_API_KEY: 'sb-v1-hunter2' }).includes('hunter2'))
  assert.ok(!refusal({ DATABASE_URL: 'mysql://me:hunter2@host/db' }).includes('hunter2'))
})

test('addresses in settings cannot contain a password, because managers can read them', () => {
  const addresses = ['https://me:hunter2@login.example.com', 'http://localhost:hunter2@login.example.com/x']
  for (const name of ['PUBLIC_URL', 'OIDC_ISSUER', 'WEBHOOK_ORIGINS', 'REPOSITORY_ORIGINS', 'CORS_ORIGINS'])
    for (const address of addresses)
      assert.match(refusal({ [name]: address }), /must be .*(an origin|an https address)/, `${name} ${address}`)
  assert.equal(
    loadConfig({ OIDC_ISSUER: 'https://login.example.com/a@b' }).oidc_issuer,
    'https://login.example.com/a@b',
  )
})

test('an invalid address is refused at the start, not at its first use', () => {
  for (const name of ['PUBLIC_URL', 'WEBHOOK_ORIGINS', 'REPOSITORY_ORIGINS', 'CORS_ORIGINS', 'KUBERNETES_URL'])
    for (const none of ['http://hooks.internal:99999', 'http://[::1', 'http://a:b'])
      assert.match(refusal({ [name]: none }), /is invalid: must be .*such as https?:/, `${name} ${none}`)
  for (const none of ['https://', 'https://[', 'https://login.example.com:99999'])
    assert.match(refusal({ OIDC_ISSUER: none }), /must be an https address/, none)
})

test('the error for an unescaped database password explains the escaping without it', () => {
  for (const password of ['hunter#2', 'hunter/2', 'hunter?2']) {
    const message = refusal({ DATABASE_URL: `postgres://me:${password}@db:5432/signalbox` })
    assert.match(message, /^The setting database_url .* is invalid: must be an address .*%2F, %23, %3F and %25$/)
    assert.ok(!message.includes('hunter'))
  }
  for (const url of ['postgres://me:a%23b@db/x', 'postgresql:///x', 'postgres://me@/x?host=/run/postgresql'])
    assert.equal(loadConfig({ DATABASE_URL: url }).database_url, url)
})

test('an origin is taken with its usual port, which browsers leave out', () => {
  const { cors_origins } = loadConfig({ CORS_ORIGINS: 'https://a.example.com:443, http://localhost:3000, *' })
  assert.deepEqual(cors_origins, ['https://a.example.com', 'http://localhost:3000', '*'])
})

test('a list for no_proxy in the file can have the forms of a variable', () => {
  const noProxy = (yaml: string) => loadConfig({ CONFIG: configFile(`no_proxy: ${yaml}\n`) }).no_proxy
  assert.deepEqual(noProxy('["10.*", "http://a.internal/"]'), ['10.0.0.0/8', 'a.internal'])
  assert.deepEqual(noProxy('10.*, .internal'), ['10.0.0.0/8', '.internal'])
})

test('an unknown setting in the file is named, with the one that was probably meant', () => {
  assert.match(
    refusal({ CONFIG: configFile('prot: 9000\n') }),
    /has no setting "prot" \(did you mean "port"\?\); docs\/configuration\.md lists them/,
  )
  assert.match(refusal({ CONFIG: configFile('PORT: 9000\n') }), /has no setting "PORT" \(did you mean "port"\?\)/)
  assert.match(refusal({ CONFIG: configFile('colour: red\n') }), /has no setting "colour"; /)
})

test('an IPv6 address can be in brackets, as in a URL', () => {
  assert.deepEqual([loadConfig({ HOST: '[::1]' }).host, loadConfig({ HOST: '::1' }).host], ['::1', '::1'])
})

test('the address and ports of interns must be usable by other servers', () => {
  for (const INTERN_ADDRESS of ['0.0.0.0', '::', '0:0::0'])
    assert.match(refusal({ INTERN_ADDRESS }), /intern_address .* by which other servers .* set intern_listen to 0\.0/)
  for (const INTERN_ADDRESS of ['10.0.0.1', '::1', 'host-1.internal'])
    assert.equal(loadConfig({ INTERN_ADDRESS, INTERN_LISTEN: '0.0.0.0' }).intern_address, INTERN_ADDRESS)
  assert.match(refusal({ INTERN_PORTS: 'many' }), /intern_ports .* is invalid: must be two ports, such as 21000-21999$/)
})

test('a file that is missing, no YAML, or no settings is refused', () => {
  assert.match(refusal({ CONFIG: join(folder, 'missing.yaml') }), /cannot be read: it does not exist\.$/)
  assert.match(refusal({ CONFIG: configFile('port: [1\n') }), /is not valid YAML: .* at line 2, column 1\.$/)
  assert.match(
    refusal({ CONFIG: configFile('port: 1\n---\nport: 2\n') }),
    /must contain one YAML document: remove "---"/,
  )
  assert.match(refusal({ CONFIG: configFile('- port\n') }), /must contain "name: value" lines\.$/)
})

test('the configuration cannot be changed once loaded', () => {
  const config = loadConfig({}) as { port: number; zdr_vendors: { a: { author: string } } }
  assert.throws(() => (config.port = 1), TypeError)
  assert.throws(() => (config.zdr_vendors.a.author = 'other'), TypeError)
})

test('the displayed agents contain no arguments and no values of variables', () => {
  const path = configFile('agents: {claude: {command: claude, args: [--key, hunter2], env: {TOKEN: hunter2}}}\n')
  const lines = showConfig(loadConfig({ CONFIG: path })).split('\n')
  assert.ok(lines.includes('agents: {"claude":{"command":"claude","variables":["TOKEN"]}}'))
})

test('the displayed settings are complete and contain no secret', () => {
  const key = `sb-v1-${'c'.repeat(64)}`
  const text = showConfig(
    loadConfig({
      BOOTSTRAP_API_KEY: key,
      BOOTSTRAP_MANAGEMENT_KEY: key,
      DATABASE_URL: 'postgres://me:hunter2@host/db',
      OIDC_CLIENT_SECRET: 'hunter2',
      SMTP_URL: 'smtps://me:hunter2@smtp.example',
      HTTPS_PROXY: 'http://me:hunter2@proxy.example',
      http_proxy: 'http://me:hunter2@proxy.example',
    }),
  )
  for (const name of settingNames) assert.match(text, new RegExp(`^(# )?${name}:`, 'm'))
  assert.ok(!text.includes('hunter2') && !text.includes('cccc'))
  for (const name of secretSettings) assert.match(text, new RegExp(`^${name}: "\\*{8}"$`, 'm'))
})

test('an alias without an anchor in the file is an error of the file', () => {
  assert.match(
    refusal({ CONFIG: configFile('port: *x\n') }),
    /^The configuration file .* is not valid YAML: .*alias.*x\.$/,
  )
})

test('spaces around the path of the file do not count', () => {
  assert.equal(loadConfig({ CONFIG: ` ${configFile('port: 9000\n')} ` }).port, 9000)
})

test('a comma after the last item of a list does not count', () => {
  assert.deepEqual(loadConfig({ TRUSTED_PROXIES: '10.0.0.1, ' }).trusted_proxies, ['10.0.0.1'])
})

test('the public URL is in the form of browsers, and is not that of the API', () => {
  const { public_url } = loadConfig({ PUBLIC_URL: 'HTTPS://Signalbox.Example.com:443/llm/' })
  assert.equal(public_url, 'https://signalbox.example.com/llm')
  assert.match(refusal({ PUBLIC_URL: 'https://example.com/llm/api/v1' }), /must not end in \/api\/v1/)
  for (const path of ['..', './llm', 'a/..'])
    assert.match(refusal({ PUBLIC_URL: `https://example.com/${path}` }), /"\.\."/)
})

test('a proxy with a path is refused, because it is a mistake', () => {
  for (const proxy of ['http//proxy:3128', 'http://DOMAIN\\user:p@proxy:3128', 'http://proxy:3128/proxy.pac'])
    assert.match(refusal({ HTTPS_PROXY: proxy }), /must be the URL of an HTTP proxy/, proxy)
})

test('the settings of sign-in and mail report what their servers would refuse later', () => {
  for (const [name, value, message] of [
    ['OIDC_SCOPES', 'email profile', /must contain "openid"/],
    ['OIDC_SCOPES', 'openid,email', /separated by spaces/],
    ['SMTP_FROM', 'a@b.c, d@e.f', /must be one address/],
    ['SMTP_FROM', 'Signalbox', /must be one address/],
    ['SMTP_FROM', 'a@b.c\r\nBcc: d@e.f', /must be one address/],
    ['DATA_DIR', '~/data', /"~" is not expanded/],
    ['DATA_DIR', 'file:///data', /must be a path/],
  ] as const)
    assert.match(refusal({ [name]: value }), message, `${name}=${value}`)
  for (const from of ['a@b.c', 'Signalbox <a@b.c>', '"Doe, J" <a@b>', '<a@b.c>'])
    assert.equal(loadConfig({ SMTP_FROM: from }).smtp_from, from)
  const roles = loadConfig({ OIDC_ROLES: '{"CN=Admins,OU=x": "admin"}' }).oidc_roles
  assert.deepEqual(roles, { 'CN=Admins,OU=x': 'admin' })
})

test('quotes around a variable do not count, and the name of a variable is not a value', () => {
  assert.equal(loadConfig({ PORT: '"9000"', HTTPS_PROXY: "'proxy:3128'" }).port, 9000)
  const name = '$' + '{NAME}'
  const problem = `is "${name}", which was not replaced by the value of that variable.`
  assert.equal(refusal({ OIDC_CLIENT_SECRET: name }), `The environment variable OIDC_CLIENT_SECRET ${problem}`)
  const path = configFile(`port: ${name}\n`)
  assert.equal(refusal({ CONFIG: `"${path}"` }), `The setting port in the configuration file ${path} ${problem}`)
})
