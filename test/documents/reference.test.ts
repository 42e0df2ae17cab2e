import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { referencePage } from '#api/pages/reference/page.ts'
import type { Document } from '#api/pages/reference/shape.ts'
import { describeApi } from '#api/server/description.ts'
import { startTestService } from '../harness/service/service.ts'

test('the reference needs no key, shows every operation, and loads nothing', async () => {
  await using service = await startTestService()
  const { status, headers, text } = await service.ask('GET', '/docs', { key: null })
  assert.equal(status, 200)
  assert.match(headers.get('content-type')!, /^text\/html/)
  const document = describeApi() as Document
  for (const { operationId } of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    assert.ok(text.includes(`<details id="${operationId}">`), operationId)
  }
  assert.doesNotMatch(text, /<script|<link|<img|src=|url\(|style="/)
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  const expected = new RegExp(RegExp.escape(`default-src 'none'; style-src 'sha256-${hash}'`))
  assert.match(headers.get('content-security-policy')!, expected)
})

test('descriptions are text on the page, never markup', () => {
  const document = structuredClone(describeApi()) as Document
  document.paths['/health']!.get!.summary = '<script>alert("x")</script>'
  assert.ok(referencePage(document).includes('&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62;'))
})
