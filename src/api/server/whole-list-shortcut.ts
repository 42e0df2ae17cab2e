import type { CatalogueHolder } from '#catalogue/sources/holder.ts'
import { messagesClient } from '#gateway/clients/messages/client.ts'
import type { KeyCache } from '#identity/accounts/keys/key-cache.ts'
import { requestId } from '#platform/http/app.ts'
import type { FinishedRequest } from '#platform/http/response/finished.ts'
import { answerReadyNow } from '#platform/http/response/ready-answer.ts'
import type { Shortcut } from '#platform/http/shortcut.ts'
import { secretIn } from '../access/authorize.ts'
import { prefix } from '../access/prefix.ts'
import { wholeListAnswer } from '../models/model-list.ts'

const path = `${prefix}/models`

/**
 * Answers `GET /models` without parameters from a cached list, for a cached key, without the framework. The framework
 * would cost more than writing the list. Every other request goes through the framework and gets the same answer.
 */
export function wholeListShortcut(
  deps: { catalogue: Pick<CatalogueHolder, 'current'>; keys: Pick<KeyCache, 'known'> },
  finished: (request: FinishedRequest) => void,
): Shortcut {
  return (request, response) => {
    if (request.url !== path || request.method !== 'GET' || request.headers.origin !== undefined) return false
    if (messagesClient.isSpokenIn?.(request.headers)) return false
    const started = performance.now()
    const secret = secretIn(request.headers.authorization)
    if (!secret || !deps.keys.known(secret)) return false
    const answer = answerReadyNow(request.headers, wholeListAnswer(deps.catalogue.current()))
    if (!answer) return false
    const id = requestId(request)
    response.on('finish', () => {
      const seconds = (performance.now() - started) / 1000
      finished({ id, method: 'GET', route: path, status: answer.status, seconds })
    })
    // Names and values in one flat list: Node writes it at half the cost of a new object for each answer.
    const headers = ['x-request-id', id, 'content-length', answer.body.length]
    for (const name in answer.headers) headers.push(name, String(answer.headers[name]))
    response.writeHead(answer.status, headers)
    response.end(answer.body)
    return true
  }
}
