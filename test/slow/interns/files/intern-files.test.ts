import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { scripted } from '../../../harness/interns/intern-chat.ts'
import { createFilesClient, createTar, workspaceOf } from '../../../harness/interns/intern-files.ts'
import { runningIntern, say, untilIntern } from '../../../harness/interns/interns.ts'
import { startTestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'
import { until } from '../../../harness/until.ts'

onOneDatabase('the files of an intern', (kind) => {
  test('a file is written, listed, read, renamed and deleted while its intern runs', async () => {
    await using service = await startTestService({ kind })
    const { id } = await runningIntern(service)
    const ask = createFilesClient(service, 'ada')
    const written = await ask('PUT', 'content', { path: 'docs/a b.txt' }, { body: '0123456789' })
    assert.deepEqual(written.body, { data: { path: 'docs/a b.txt', size: 10, created: true } })
    const { data } = (await ask('GET', '', { path: 'docs' })).body
    assert.deepEqual([data[0].name, data[0].kind, data[0].size, data[0].addressable], ['a b.txt', 'file', 10, true])
    const whole = await ask('GET', 'content', { path: 'docs/a b.txt' })
    assert.deepEqual(
      [whole.status, whole.bytes.toString(), whole.headers.get('content-length')],
      [200, '0123456789', '10'],
    )
    assert.match(whole.headers.get('content-disposition')!, /^attachment; filename\*=UTF-8''a%20b\.txt$/)
    const renamed = await ask('POST', 'rename', {}, { body: { from: 'docs/a b.txt', to: 'b.txt' } })
    assert.deepEqual(renamed.body, { renamed: true })
    assert.equal(readFileSync(join(workspaceOf(service, id), 'b.txt'), 'utf8'), '0123456789')
    assert.deepEqual((await ask('DELETE', '', { path: 'b.txt' })).body, { deleted: true })
    assert.equal((await ask('GET', 'content', { path: 'b.txt' })).status, 404)
  })

  test('ranges are answered as HTTP has them', async () => {
    await using service = await startTestService({ kind })
    await runningIntern(service)
    const ask = createFilesClient(service, 'ada')
    await ask('PUT', 'content', { path: 'f' }, { body: '0123456789' })
    const { headers } = await ask('GET', 'content', { path: 'f' })
    const ranged = async (range: string, more = {}) => {
      const { status, bytes, headers } = await ask('GET', 'content', { path: 'f' }, { headers: { range, ...more } })
      return [status, status === 416 ? '' : bytes.toString(), headers.get('content-range')]
    }
    assert.deepEqual(await ranged('bytes=2-4'), [206, '234', 'bytes 2-4/10'])
    assert.deepEqual(await ranged('bytes=7-'), [206, '789', 'bytes 7-9/10'])
    assert.deepEqual(await ranged('bytes=-2'), [206, '89', 'bytes 8-9/10'])
    assert.deepEqual(await ranged('bytes=5-500'), [206, '56789', 'bytes 5-9/10'])
    assert.deepEqual(await ranged('bytes=10-'), [416, '', null])
    assert.deepEqual(await ranged('bytes=4-2'), [200, '0123456789', null])
    assert.deepEqual(await ranged('bytes=0-1', { 'if-range': headers.get('etag')! }), [206, '01', 'bytes 0-1/10'])
    assert.deepEqual(await ranged('bytes=0-1', { 'if-range': '"another"' }), [200, '0123456789', null])
  })

  test('files exist while the intern is stopped, before and after its start', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    const ask = createFilesClient(service, id)
    assert.equal((await ask('PUT', 'content', { path: 'before' }, { body: 'early' })).status, 200)
    await service.ask('POST', `/interns/${id}/provision`)
    await untilIntern(service, id, 'running')
    assert.equal((await ask('GET', 'content', { path: 'before' })).bytes.toString(), 'early')
    // The intern can read and change a file that was written before its first run.
    await say(service, id, 'run: cat before && echo late >> before', { approval_mode: 'self-drive' })
    await service.ask('POST', `/interns/${id}/suspend`)
    assert.equal((await ask('GET', 'content', { path: 'before' })).bytes.toString(), 'earlylate\n')
    assert.equal((await ask('DELETE', '', { path: 'before' })).status, 200)
    assert.equal((await ask('GET', 'archive')).status, 200)
  })

  test('concurrent requests to a stopped intern start one process only', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    const ask = createFilesClient(service, id)
    const ending = Promise.withResolvers<void>()
    async function* slow() {
      yield Buffer.from('started')
      await ending.promise
    }
    const uploads = Array.from({ length: 8 }, (_, at) =>
      ask('PUT', 'content', { path: `f${at}` }, { body: Readable.toWeb(Readable.from(slow())) as never }),
    )
    const isDraft = (name: string) => name.endsWith('.draft')
    const workspace = workspaceOf(service, id)
    await until(() => existsSync(workspace) && readdirSync(workspace).filter(isDraft).length === 8)
    const refused = await ask('GET', '')
    assert.deepEqual([refused.status, refused.body.error.code], [503, 503])
    assert.match(refused.body.error.message, /retry later, or start the intern/)
    assert.equal((await service.ask('GET', `/interns/${id}/sessions`)).status, 503)
    ending.resolve()
    assert.deepEqual(new Set((await Promise.all(uploads)).map(({ status }) => status)), new Set([200]))
    await until(async () => (await ask('GET', '')).status === 200)
  })

  test('a folder is downloaded and uploaded as an archive, compatible with tar', async () => {
    await using service = await startTestService({ kind })
    await runningIntern(service)
    const ask = createFilesClient(service, 'ada')
    const archive = createTar((folder) => {
      mkdirSync(join(folder, 'src/deep'), { recursive: true })
      writeFileSync(join(folder, 'src/deep/tool.sh'), '#!/bin/sh\n', { mode: 0o755 })
      writeFileSync(join(folder, 'src/ä\n名'), 'odd')
      symlinkSync('deep/tool.sh', join(folder, 'src/link'))
    })
    const unpacked = await ask('PUT', 'archive', { path: 'in' }, { body: archive })
    assert.deepEqual(unpacked.body, { data: { files: 2, folders: 2, links: 1, bytes: 13 } })
    const back = await ask('GET', 'archive', { path: 'in' })
    const listed = execFileSync('tar', ['-tzvf', '-'], {
      ...{ input: back.bytes, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } },
    })
    assert.match(listed, /-rwxr-xr-x .* src\/deep\/tool\.sh\n/)
    assert.match(listed, /src\/link -> deep\/tool\.sh/)
    assert.match(listed, /src\/ä\\n名\n/)
    assert.doesNotMatch(listed, /LEFT-OUT/)
  })

  test('members with access can do all with its files, others see none', async () => {
    await using service = await startTestService({ kind })
    const { id } = await runningIntern(service)
    const grace = createFilesClient({ ...(await addColleague(service)), url: service.url }, id)
    const calls = [
      ['GET', ''],
      ['GET', 'content', { path: 'f' }],
      ['PUT', 'content', { path: 'f' }, { body: 'x' }],
      ['DELETE', '', { path: 'f' }],
      ['POST', 'folders', {}, { body: { path: 'd' } }],
      ['POST', 'rename', {}, { body: { from: 'f', to: 'g' } }],
      ['GET', 'archive'],
      ['PUT', 'archive', {}, { body: 'x' }],
    ] as const
    for (const [method, resource, query, options] of calls) {
      assert.equal((await grace(method, resource, query, options)).status, 404, `${method} ${resource}`)
    }
    await service.ask('PATCH', `/interns/${id}`, { body: { visibility: 'workspace' } })
    assert.equal((await grace('PUT', 'content', { path: 'f' }, { body: 'x' })).status, 200)
    assert.equal((await grace('GET', 'archive')).status, 200)
  })

  test('the audit log has every change, failure, and read by other members', async () => {
    await using service = await startTestService({ kind })
    const { id } = await runningIntern(service, { visibility: 'workspace' })
    const [ask, grace] = [
      createFilesClient(service, id),
      createFilesClient({ ...(await addColleague(service)), url: service.url }, id),
    ]
    await ask('PUT', 'content', { path: 'secret' }, { body: 'x' })
    await ask('GET', 'content', { path: 'secret' })
    await grace('GET', 'content', { path: 'secret' })
    await grace('GET', 'archive')
    await grace('DELETE', '', { path: 'none' })
    const { data } = (await service.manage('GET', `/audit?target_id=${id}`)).body
    const result = data
      .filter(({ action }: { action: string }) => /file/.test(action))
      .map(({ action, after }: { action: string; after: object }) => [action, after])
      .reverse()
    assert.deepEqual(result, [
      ['intern.file_written', { path: 'secret' }],
      ['intern.file_read', { path: 'secret' }],
      ['intern.files_packed', { path: '.' }],
      ['intern.file_deleted', { path: 'none' }],
      ['intern.files_refused', { act: 'intern.file_deleted', path: 'none', reason: 'not_found' }],
    ])
  })
})

test('special names work, or the error explains the problem', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const ask = createFilesClient(service, id)
  const put = async (path: string) => {
    const { status, body } = await ask('PUT', 'content', { path }, { body: 'x' })
    return [status, body.error?.message ?? body.data.path]
  }
  for (const path of ['a\nb', '-rf', ' ', '名前/ä', '%2e%2e', 'a\\b', '.hidden', 'n'.repeat(255)]) {
    assert.deepEqual(await put(path), [200, path])
    assert.equal((await ask('GET', 'content', { path })).bytes.toString(), 'x')
  }
  assert.deepEqual(
    await put('n'.repeat(256)).then(([status, result]) => [status, /more than 255 bytes/.test(result)]),
    [400, true],
  )
  assert.deepEqual((await put(`${'d/'.repeat(1800)}f`))[0], 400)
  assert.match((await put('a\0b'))[1], /U\+0000/)
  assert.deepEqual(await put('../x'), [400, '../x contains ".."; use a path inside the workspace.'])
  assert.deepEqual(await put('/etc/passwd'), [400, '/etc/passwd is absolute; use a path relative to the workspace.'])
  const invalid = await fetch(`${service.url}/interns/${id}/files/content?path=a%FFb`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  })
  assert.equal(invalid.status, 404)
})

test('names that are not UTF-8 are marked, omitted from archives, deleted with folders', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const ask = createFilesClient(service, id)
  await ask('POST', 'folders', {}, { body: { path: 'odd' } })
  writeFileSync(Buffer.concat([Buffer.from(`${workspaceOf(service, id)}/odd/`), Buffer.from([0x61, 0xff, 0x62])]), 'x')
  const { data } = (await ask('GET', '', { path: 'odd' })).body
  assert.deepEqual([data[0].name, data[0].addressable], ['a\ufffdb', false])
  const { bytes } = await ask('GET', 'archive', { path: 'odd' })
  const message = execFileSync('tar', ['-xzOf', '-', 'SIGNALBOX-LEFT-OUT.txt'], { input: bytes, encoding: 'utf8' })
  assert.match(message, /a.b: has a name that is not valid UTF-8/)
  assert.equal((await ask('DELETE', '', { path: 'odd', recursive: 'true' })).status, 200)
})

test('a folder with very many files is listed in pages, each file once', { timeout: 900_000 }, async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const ask = createFilesClient(service, id)
  mkdirSync(join(workspaceOf(service, id), 'many'))
  for (let at = 0; at < 5000; at++) writeFileSync(join(workspaceOf(service, id), 'many', `f${at}`), '')
  const names: string[] = []
  for (let after: string | undefined; ; ) {
    const { body } = await ask('GET', '', { path: 'many', limit: '700', ...(after && { starting_after: after }) })
    names.push(...body.data.map(({ name }: { name: string }) => name))
    if (!body.has_more) break
    after = body.next_cursor
  }
  assert.deepEqual([names.length, new Set(names).size], [5000, 5000])
})

test('an invalid upload is refused, and changes nothing', async () => {
  await using service = await startTestService({ settings: { intern_upload_bytes: 100_000 } })
  const { id } = await runningIntern(service)
  const ask = createFilesClient(service, id)
  await ask('PUT', 'content', { path: 'f' }, { body: 'old' })
  const large = await ask('PUT', 'content', { path: 'f' }, { body: Buffer.alloc(5_000_000) })
  assert.deepEqual([large.status, /exceeds the 100000 bytes/.test(large.body.error.message)], [413, true])
  // Zeros of a gigabyte are a megabyte when compressed, and only the part that fits is ever unpacked.
  const bomb = createTar((folder) => execFileSync('truncate', ['-s', '1G', join(folder, 'zeros')]))
  assert.equal((await ask('PUT', 'archive', {}, { body: bomb })).status, 413)
  assert.equal((await ask('GET', 'content', { path: 'f' })).bytes.toString(), 'old')
  assert.deepEqual(
    (await ask('GET', '')).body.data.map(({ name }: { name: string }) => name),
    ['f'],
  )
})

test('an upload never exceeds the disk limit of an intern', async () => {
  await using service = await startTestService({ settings: { intern_disk_bytes: 40_000_000 } })
  const { id } = await runningIntern(service)
  const ask = createFilesClient(service, id)
  assert.equal((await ask('PUT', 'content', { path: 'a' }, { body: Buffer.alloc(25_000_000, 1) })).status, 200)
  assert.equal((await ask('PUT', 'content', { path: 'b' }, { body: Buffer.alloc(25_000_000, 1) })).status, 413)
  assert.equal((await service.ask('GET', `/interns/${id}`)).body.status, 'running')
})

test('an invalid archive changes nothing, and the error has the position', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const ask = createFilesClient(service, id)
  const refusal = async (body: Buffer | string) => {
    const { status, body: responseBody } = await ask('PUT', 'archive', { path: 'in' }, { body })
    return `${status} ${responseBody.error?.message}`
  }
  const good = createTar((folder) => writeFileSync(join(folder, 'f'), Buffer.alloc(300_000, 'x')))
  assert.match(await refusal('no archive'), /^400 The archive is not a complete tar\.gz/)
  assert.match(await refusal(good.subarray(0, good.length - 20)), /^400 The archive is not a complete/)
  const outside = ['--absolute-names', '--transform=s,^\\./,../,']
  const filled = (folder: string) => writeFileSync(join(folder, 'evil'), 'x')
  assert.match(await refusal(createTar(filled, outside, ['./evil'])), /^400 .*\.\.\/evil contains "\.\."/)
  const absolute = ['--absolute-names', '--transform=s,^\\.,/tmp,']
  assert.match(await refusal(createTar(filled, absolute, ['./evil'])), /^400 .*\/tmp\/evil is absolute/)
  const link = (target: string) => createTar((folder) => symlinkSync(target, join(folder, 'l')))
  assert.match(await refusal(link('/etc/passwd')), /^403 .*l is a link that leads out/)
  assert.match(await refusal(link('../../x')), /^403 .*l is a link that leads out/)
  const hard = createTar((folder) => execFileSync('sh', ['-c', 'echo x > a; ln a b'], { cwd: folder }))
  assert.match(await refusal(hard), /^400 .*is a hard link; create the archive with "tar --hard-dereference"/)
  assert.match(await refusal(createTar((folder) => execFileSync('mkfifo', [join(folder, 'p')]))), /^400 .*p is a pipe/)
  assert.deepEqual((await ask('GET', '')).body.data, [])
})

test('a client that leaves in the middle of an upload has changed nothing', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service)
  const ask = createFilesClient(service, id)
  await ask('PUT', 'content', { path: 'f' }, { body: 'old' })
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(100_000))
      setTimeout(() => controller.error(new Error('gone')), 200)
    },
  })
  await assert.rejects(ask('PUT', 'content', { path: 'f' }, { body: broken }))
  assert.equal((await ask('GET', 'content', { path: 'f' })).bytes.toString(), 'old')
})

test('a large file is uploaded and downloaded completely', { timeout: 900_000 }, async () => {
  await using service = await startTestService({ settings: scripted })
  const { id } = await runningIntern(service)
  const ask = createFilesClient(service, id)
  const body = Buffer.alloc(64 * 1024 ** 2)
  for (let at = 0; at < body.length; at += 4096) body.writeUInt32LE(at, at)
  assert.equal((await ask('PUT', 'content', { path: 'large' }, { body })).body.data.size, body.length)
  assert.ok((await ask('GET', 'content', { path: 'large' })).bytes.equals(body))
})

test('an upload of one byte at a time is answered 408 and has changed nothing', { timeout: 900_000 }, async () => {
  await using service = await startTestService({ uploadPauseMs: 500 })
  const { id } = await runningIntern(service)
  const { hostname, port } = new URL(service.url)
  const archive = gzipSync(randomBytes(100_000))
  for (const resource of ['content', 'archive']) {
    const socket = connect(Number(port), hostname)
    let responseBody = ''
    socket.setEncoding('utf8').on('data', (text) => (responseBody += text))
    socket.on('error', () => {})
    const head = [
      `PUT /api/v1/interns/${id}/files/${resource}?path=slow HTTP/1.1`,
      ...['host: x', `authorization: Bearer ${service.apiKey}`, 'content-length: 1000000'],
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    for (let at = 0; responseBody === ''; at++) {
      socket.write(archive.subarray(at, at + 1))
      await sleep(20)
    }
    socket.destroy()
    assert.match(responseBody, /^HTTP\/1.1 408 .*The body arrived too slowly: send at least 4096 bytes/s, resource)
  }
  await until(async () => (await createFilesClient(service, id)('GET', '')).body.data.length === 0)
})

test('an upload can take longer than other requests while data arrives', { timeout: 900_000 }, async () => {
  const timeouts = { headersMs: 1000, requestMs: 1000, checkEveryMs: 100 }
  await using service = await startTestService({ timeouts })
  const { id } = await runningIntern(service)
  const slow = ReadableStream.from(
    (async function* () {
      for (let at = 0; at < 30; at++) {
        await sleep(100)
        yield new Uint8Array(10)
      }
    })(),
  )
  const { body } = await createFilesClient(service, id)('PUT', 'content', { path: 'slow' }, { body: slow })
  assert.equal(body.data.size, 300)
})
