import { setTimeout as sleep } from 'node:timers/promises'
import { apiKey, askForWords, manage } from './priced-servers.ts'

/** Sends completions of two protocols and reads reports, one request after the other, until `isOver`. */
export async function sendMixedLoad(url: string, isOver: () => boolean): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const message = { model: 'signalbox/demo', max_tokens: 5, messages: [{ role: 'user', content: 'demo:words=3' }] }
  while (!isOver()) {
    await askForWords(url, 5, 5, true)
    await fetch(`${url}/messages`, { method: 'POST', headers, body: JSON.stringify(message) }).then((it) => it.text())
    await manage(url, 'GET', '/activity')
    await sleep(20)
  }
}
