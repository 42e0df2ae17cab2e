import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOwnPath } from './own-path.ts'

const origin = 'https://signalbox.example'

test('an own path is accepted with its query, without the fragment', () => {
  for (const path of ['/', '/requests?last=1h&model=a%2Fb', '/interns/1/2'])
    assert.equal(parseOwnPath(path, origin), path)
  assert.equal(parseOwnPath('/requests#part', origin), '/requests')
  assert.equal(parseOwnPath('/a"><script>', origin), '/a%22%3E%3Cscript%3E')
})

test('a disguised path to another site is refused', () => {
  const disguises = [
    ...[
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
    ],
    ...['/.//evil.example', '/x/..//evil.example', '/%2e//evil.example', '/./\\evil.example'],
    ...[
      'https://evil.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      'evil.example',
      '',
      '?x',
      '#x',
      '@evil.example',
    ],
    `/${'a'.repeat(2000)}`,
  ]
  for (const text of disguises) {
    const path = parseOwnPath(text, origin)
    assert.equal(path, undefined, text)
  }
})
