import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { request } from 'undici'
import { startTestService, type TestService } from '../../harness/service/service.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'signalbox-refused-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const bodyOf = (bytes: number) => Buffer.from(`{"model":"signalbox/demo","x":"${'x'.repeat(bytes - 33)}"}`)

/** Sends a body to a URL with a key, and returns the status of the response. */
type Client = (url: string, key: string, body: Buffer, file: string) => Promise<number>

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })

const python =
  (script: string): Client =>
  async (url, key, _body, file) =>
    Number((await run('python3', ['-c', script, url, key, file])).stdout)

const withHttpClient = `
import http.client, sys, urllib.parse
url, key, file = sys.argv[1:]
at = urllib.parse.urlsplit(url)
connection = http.client.HTTPConnection(at.netloc)
headers = {'authorization': 'Bearer ' + key, 'content-type': 'application/json'}
connection.request('POST', at.path, open(file, 'rb').read(), headers)
print(connection.getresponse().status)`

const withRequests = `
import requests, sys
url, key, file = sys.argv[1:]
headers = {'authorization': 'Bearer ' + key, 'content-type': 'application/json'}
print(requests.post(url, data=open(file, 'rb').read(), headers=headers).status_code)`

const clients: Record<string, Client> = {
  fetch: async (url, key, body) => {
    const response = await fetch(url, { method: 'POST', headers: headersOf(key), body: new Uint8Array(body) })
    await response.text()
    return response.status
  },
  undici: async (url, key, body) => {
    const response = await request(url, { method: 'POST', headers: headersOf(key), body })
    await response.body.text()
    return response.statusCode
  },
  'http.client': python(withHttpClient),
  requests: python(withRequests),
  curl: async (url, key, _body, file) => {
    const headers = Object.entries(headersOf(key)).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const options = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '--data-binary', `@${file}`]
    return Number((await run('curl', [...options, ...headers, url])).stdout)
  },
}

const isPresent: Record<string, () => boolean> = {
  'http.client': () => succeeds('python3', ['-c', 'import http.client']),
  requests: () => succeeds('python3', ['-c', 'import requests']),
  curl: () => succeeds('curl', ['--version']),
}

function succeeds(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Each with a body over its limit, sent to the path with this key. */
const refusals = ({ apiKey, managementKey }: TestService): [path: string, key: string, bytes: number][] => [
  ['/interns/ada/chat/completions', apiKey, 1_150_000],
  ['/interns/ada/chat/completions', apiKey, 6_000_000],
  ['/presets/p/responses', managementKey, 4_194_305],
  ['/presets/p/responses', managementKey, 6_000_000],
]

for (const [name, send] of Object.entries(clients)) {
  const skip = isPresent[name]?.() === false && `${name} is not installed`
  test(`a body over the limit, sent with ${name}, is answered 413`, { skip }, async () => {
    await using service = await startTestService()
    for (const [path, key, bytes] of refusals(service)) {
      const body = bodyOf(bytes)
      const file = join(folder, `${bytes}.json`)
      writeFileSync(file, body)
      for (let tries = 0; tries < 4; tries++) assert.equal(await send(service.url + path, key, body, file), 413, path)
    }
  })
}

test('a refused body over 16 MiB ends the connection after 16 MiB', async () => {
  await using service = await startTestService()
  let sent = 0
  async function* pieces() {
    for (; sent < 200; sent++) yield new Uint8Array(1024 * 1024)
  }
  const init = { method: 'POST', headers: headersOf(service.managementKey), body: pieces(), duplex: 'half' }
  await fetch(`${service.url}/presets/p/responses`, init as RequestInit).then(
    (response) => response.text(),
    () => '',
  )
  assert.ok(sent < 100, `${sent} MiB were sent`)
})
