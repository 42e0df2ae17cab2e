import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderNeeds } from '#catalogue/sources/provider-needs.ts'
import { welcomeText } from './welcome.ts'

const provider = (name: string, missing: string[], credential_variables = [`${name.toUpperCase()}_KEY`]) =>
  ({ name, slug: name, missing, credential_variables, address_variables: [], models: 3 }) satisfies ProviderNeeds

const facts = {
  url: 'http://127.0.0.1:8080/api/v1',
  consoleUrl: 'http://127.0.0.1:8080',
  firstKeys: undefined,
  demo: false,
  signInToken: undefined,
  providers: [],
  sandbox: 'bubblewrap',
}

const providersLine = (providers: ProviderNeeds[]) =>
  /^ {2}Providers {3}(.*(?:\n {14}.*)*)$/m.exec(welcomeText({ ...facts, providers }))?.[1]?.replaceAll(/\s+/g, ' ')

test('a start without credentials names the first variable to set', () => {
  const providers = [provider('Demo', [], []), provider('Acme', ['ACME_KEY', 'ACME_HOST']), provider('B', ['B_KEY'])]
  assert.equal(
    providersLine(providers),
    'none has a credential in the environment; only models that need none answer. ' +
      'Set one, such as ACME_KEY and ACME_HOST, and start again. docs/providers.md lists them.',
  )
})

test('a start lists the providers that have a credential', () => {
  assert.equal(providersLine([provider('Demo', [], []), provider('Acme', []), provider('B', ['B_KEY'])]), 'Acme')
  const many = Array.from({ length: 10 }, (_, index) => provider(`P${index}`, []))
  assert.match(providersLine(many)!, /^P0, .*, P7 and 2 more$/)
})

test('a catalogue whose providers need no credential names no variable', () => {
  const line = providersLine([provider('Demo', [], []), { ...provider('Acme', ['ACME_KEY']), models: 0 }])
  assert.equal(line, 'none has a credential in the environment; only models that need none answer.')
})

test('the first start says that interns run commands without a sandbox', () => {
  const sentence =
    /^ {2}Interns run commands without asking and without a sandbox, unless the approval mode is "manual"\.$/m
  for (const demo of [true, false]) assert.match(welcomeText({ ...facts, demo, firstKeys: {} }), sentence)
  assert.doesNotMatch(welcomeText(facts), /without asking/)
})

test('the sign-in link has the public URL with its path, else the address of this host', () => {
  const first = { ...facts, firstKeys: { managementKey: 'sb-v1-m', apiKey: 'sb-v1-a' }, signInToken: 'token' }
  const linkIn = (publicUrl?: string) => / {4}(\S+)\/#sign-in=token$/m.exec(welcomeText({ ...first, publicUrl }))?.[1]
  assert.equal(linkIn(), 'http://127.0.0.1:8080')
  assert.equal(linkIn('https://example.com/llm'), 'https://example.com/llm')
})
