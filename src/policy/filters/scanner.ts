import { Fault } from '#platform/core/fault.ts'
import { type BlockedResult, blockedResult, type FilteredResult, type Finding, filterBodies } from './filter-bodies.ts'
import type { FilterRule } from './filter-rule.ts'
import { type AllMatches, findAllMatches } from './find-all-matches.ts'
import { estimateScanMs } from './scan-cost.ts'
import { type ScanRequest, WorkerPool } from './worker-pool.ts'

/** The content that may be sent. If nothing was redacted, it is the same object as the input. */
type PassedResult<Content> = { outcome: 'passed'; content: Content; findings: Finding[] }

/**
 * Scans texts. Long texts wait for a thread, which is shared fairly among workspaces, and among the keys of each.
 * @throws Fault `rate_limited` if the key has too many waiting scans, `client_closed_request` if the signal aborts
 * meanwhile.
 */
export type Scanner = {
  /**
   * Filters the forms of one request, such as the chat request and the client's own body, by the same rules. A text
   * that occurs in several forms is scanned once.
   */
  scanRequest: <Bodies extends Record<string, object>>(
    rules: readonly FilterRule[],
    bodies: Bodies,
    request: ScanRequest,
  ) => Promise<BlockedResult | PassedResult<Bodies>>
  /** Filters a prompt that consists of one text by the user. */
  scanText: (
    rules: readonly FilterRule[],
    text: string,
    request: ScanRequest,
  ) => Promise<BlockedResult | PassedResult<string>>
  /** Filters the user's answer to a question. JSON is filtered value by value, and stays valid. */
  scanAnswer: (
    rules: readonly FilterRule[],
    text: string,
    request: ScanRequest,
  ) => Promise<BlockedResult | PassedResult<string>>
  /** Lists every match in a prompt that consists of one text, also after a match that blocks. */
  findText: (rules: readonly FilterRule[], text: string, request: ScanRequest) => Promise<BlockedResult | AllMatches>
  close: () => Promise<void>
}

/** Shorter scans run at once. Longer scans run in other threads. */
const inlineLimitMs = 4

/** @param options.timeLimitMs the time limit for scanning one request. After it, the request is refused. */
export function createScanner(options: { timeLimitMs?: number } = {}): Scanner {
  const workers = new WorkerPool({ timeLimitMs: options.timeLimitMs ?? 5000 })

  async function filter(
    rules: readonly FilterRule[],
    bodies: Record<string, object>,
    request: ScanRequest,
  ): Promise<BlockedResult | FilteredResult> {
    const isShort = estimateScanMs(rules, bodies, inlineLimitMs) <= inlineLimitMs
    return isShort ? filterBodies(rules, bodies) : workers.filter(rules, bodies, request)
  }

  async function scanRequest<Bodies extends Record<string, object>>(
    rules: readonly FilterRule[],
    bodies: Bodies,
    request: ScanRequest,
  ): Promise<BlockedResult | PassedResult<Bodies>> {
    const [strictest] = rules
    if (!strictest) return passedResult(bodies, [])
    try {
      const result = await filter(rules, bodies, request)
      if (result.outcome === 'blocked') return result
      return passedResult((result.bodies as Bodies | undefined) ?? bodies, result.findings)
    } catch (error) {
      if (error instanceof Fault) throw error
      // A body that cannot be traversed (nested too deep) must not pass unchecked.
      return blockedResult(strictest, 'failed')
    }
  }

  return {
    scanRequest,
    // In a body, the filters treat `input` and `prompt` as texts of the user, and `arguments` as JSON.
    async scanText(rules, text, request) {
      const result = await scanRequest(rules, { prompt: { prompt: text } }, request)
      return result.outcome === 'blocked' ? result : passedResult(result.content.prompt.prompt, result.findings)
    },
    async scanAnswer(rules, text, request) {
      const result = await scanRequest(rules, { answer: { input: { arguments: text } } }, request)
      return result.outcome === 'blocked'
        ? result
        : passedResult(result.content.answer.input.arguments, result.findings)
    },
    async findText(rules, text, request) {
      const isShort = estimateScanMs(rules, { text }, inlineLimitMs) <= inlineLimitMs
      return isShort ? findAllMatches(rules, text) : workers.findAllMatches(rules, text, request)
    },
    close: () => workers.close(),
  }
}

function passedResult<Content>(content: Content, findings: Finding[]): PassedResult<Content> {
  return { outcome: 'passed', content, findings }
}
