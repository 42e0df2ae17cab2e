import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NameRule, splitPaths, withAliases } from './aliases.ts'

const rule: NameRule = {
  allowedCharacters: /^[a-zA-Z0-9_-]+$/,
  maxLength: 20,
  paths: splitPaths('tools.*.name', 'choice.name'),
}
const bodyOf = (...names: string[]) => ({ tools: names.map((name) => ({ name })), choice: { name: names[0] } })
const namesIn = (body: any) => body.tools.map(({ name }: { name: string }) => name)

test('a body with accepted names is returned as it is', () => {
  const body = bodyOf('a', 'b'.repeat(20))
  assert.equal(withAliases(body, rule).body, body)
})

test('an alias is accepted, the same in each request, and the same at each place', () => {
  const name = 'server.tool'.repeat(5)
  const [one, two] = [withAliases(bodyOf(name, 'a'), rule), withAliases(bodyOf(name), rule)]
  const [alias] = namesIn(one.body)
  assert.match(alias, /^[a-zA-Z0-9_-]{1,20}$/)
  assert.deepEqual(one.body.choice, { name: alias })
  assert.equal(namesIn(two.body)[0], alias)
  assert.equal(one.aliases.get(alias), name)
})

test('aliases differ from each other and from all names of the body', () => {
  const long = ['x'.repeat(30), `${'x'.repeat(30)}y`]
  const taken = namesIn(withAliases(bodyOf(...long), rule).body) as string[]
  const { body, aliases } = withAliases(bodyOf(...long, ...taken), rule)
  assert.equal(new Set(namesIn(body)).size, 4)
  assert.deepEqual(namesIn(body).slice(2), taken)
  assert.deepEqual([...aliases.values()], long)
})

test('an id is only a hash where nothing else is accepted', () => {
  const ids: NameRule = { allowedCharacters: /^[a-zA-Z0-9]{9}$/, maxLength: 9, paths: splitPaths('tools.*.name') }
  assert.match(namesIn(withAliases(bodyOf('call_1'), ids).body)[0], /^[a-f0-9]{9}$/)
})
