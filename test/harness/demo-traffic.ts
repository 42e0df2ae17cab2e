import { metered } from './metered.ts'
import type { TestService } from './service.ts'

const questions = [
  'Which of these invoices has the wrong VAT id?',
  'Write a haiku about queues.',
  'Summarise the minutes of Monday in three lines.',
  'Translate "signal box" into Slovene.',
  'What is 17 times 23?',
]

/** Requests of every outcome, by two keys: what a console has to show. @returns the ids, the first asked first. */
export async function playDemoTraffic(service: TestService, count = 12): Promise<string[]> {
  const rule = { name: 'No other models', ignored_models: ['signalbox/demo'] }
  const guardrail = (await service.manage('POST', '/guardrails', rule)).body.data
  const bot = (await service.manage('POST', '/keys', { name: 'ci-bot' })).body
  const shutIn = (await service.manage('POST', '/keys', { name: 'shut-in' })).body
  await service.manage('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [shutIn.data.hash] })
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const key = index % 6 === 3 ? shutIn.key : index % 2 ? bot.key : service.apiKey
    const content = questions[index % questions.length]
    const body = {
      model: 'signalbox/demo',
      stream: index % 3 === 0,
      messages: [{ role: 'user', content }],
      ...(index % 4 === 0 && { session_id: `session-${index % 8}` }),
    }
    const { headers } = await service.ask('POST', '/chat/completions', { key, body })
    ids.push(headers.get('x-generation-id') ?? '')
  }
  await metered(service, ids.at(-1) ?? '')
  return ids
}
