import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { blocksIn } from '../docs/blocks.ts'
import { createTestCa } from '../harness/service/certificates.ts'
import { freePort } from '../harness/service/free-port.ts'
import { startTestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'

const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path))
const skip = nginx ? false : 'nginx is not installed (Debian: nginx-light)'
const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')

/** The `location` of nginx on this page that begins with `start`, with the address of the service. */
function documentedLocation(page: string, start: string, server: string): string {
  const [location, ...others] = blocksIn(read(page))
    .map(({ text }) => text.slice(text.indexOf(start)))
    .filter((text) => text.startsWith(start) && text.includes('proxy_pass'))
  assert.ok(location && others.length === 0, `${page} must have one "${start}"`)
  const end = location.indexOf('}') + 1
  return location.slice(0, end).replace(/proxy_pass [^;]+;/, `proxy_pass http://${server};`)
}

async function startNginx(location: string, port: number) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tls-nginx-'))
  const { certificate, key } = await (await createTestCa()).issue({ name: 'example.com', as: 'server' })
  writeFileSync(join(folder, 'certificate.pem'), certificate)
  writeFileSync(join(folder, 'key.pem'), key)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const tls = `listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem;`
  const http = `access_log off; ${temporary.join(' ')} server { ${tls} ${location} }`
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(join(folder, 'nginx.conf'), `daemon off; ${user} pid ${folder}/pid; events {} http { ${http} }`)
  const child = spawn(nginx!, ['-p', folder, '-e', `${folder}/error.log`, '-c', join(folder, 'nginx.conf')])
  const ended = once(child, 'close')
  const dispose = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { [Symbol.asyncDispose]: dispose }
}

type Sent = { method: string; path: string; port: number; body?: object }

/** A request of a browser, for a page at `https://example.com:port`. */
async function browse({ method, path, port, body }: Sent) {
  const headers = {
    host: `example.com:${port}`,
    origin: `https://example.com:${port}`,
    'content-type': 'application/json',
  }
  const sent = request({ method, path, port, headers, host: '127.0.0.1', rejectUnauthorized: false, agent: false })
  sent.end(body && JSON.stringify(body))
  const [response] = await once(sent, 'response')
  response.resume()
  return { status: response.statusCode, cookie: String(response.headers['set-cookie'] ?? '') }
}

for (const [page, start, path] of [
  ['operations.md', 'location / {', ''],
  ['operations.md', 'location /llm/ {', '/llm'],
  ['several-servers.md', 'location / {', ''],
] as const) {
  test(`a browser signs in through nginx with TLS and "${start}" of ${page}`, { skip, timeout: 120_000 }, async () => {
    const port = await freePort()
    const settings = {
      trusted_proxies: ['127.0.0.1'],
      ...(path && { public_url: `https://example.com:${port}${path}` }),
    }
    await using service = await startTestService({ settings })
    await using _nginx = await startNginx(documentedLocation(page, start, new URL(service.url).host), port)
    const isUp = () => browse({ method: 'GET', path: `${path}/api/v1/health`, port }).catch(() => undefined)
    await until(async () => (await isUp())?.status === 200)
    const body = { key: service.managementKey }
    const { status, cookie } = await browse({ method: 'POST', path: `${path}/api/v1/sessions`, port, body })
    assert.equal(status, 201)
    assert.match(cookie, /Secure/)
  })
}
