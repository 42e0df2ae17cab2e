import type { Status } from '../../api/types.ts'
import { countText } from '../../format/count.ts'
import { money } from '../../format/money.ts'
import { duration } from '../../format/time.ts'
import type { ProblemItem } from './problems.ts'

/** An unwritten entry of this age indicates a problem, because the ledger is written twice a second. */
const problemDelayMs = 10_000

/** Problems of the service, and open questions of interns. */
export function serviceProblems(status: Status, now: number): ProblemItem[] {
  const { database, host, organization } = status
  return [
    ...databaseProblems(database.state),
    ...workerProblems(host.workers),
    ...ledgerProblems(host.processes, now),
    ...catalogueProblems(host.catalogue),
    ...(organization
      ? [...reservationProblems(organization.money), ...questionProblems(organization.interns.questions, now)]
      : []),
  ]
}

function databaseProblems(state: Status['database']['state']): ProblemItem[] {
  if (state === 'ok') return []
  const [title, reason] =
    state === 'away'
      ? ['The database does not respond', 'Metering data waits in memory and in files.']
      : ['The database is read-only', 'Changes are refused. Metering data waits in memory and in files.']
  return [{ id: 'database', tone: 'bad', title, reason }]
}

function workerProblems({ wanted: configured, answering }: Status['host']['workers']): ProblemItem[] {
  if (answering >= configured) return []
  const reason = 'Other processes take their connections until they are back.'
  return [
    {
      id: 'workers',
      tone: 'warn',
      title: `${answering} of ${countText(configured, 'worker')} respond`,
      reason,
    },
  ]
}

/** Each process has its own memory. All processes of a host share the files, and report the same numbers of them. */
function ledgerProblems(processes: Status['host']['processes'], now: number): ProblemItem[] {
  const ledgers = processes.map(({ ledger }) => ledger)
  const inFiles = Math.max(0, ...ledgers.map(({ files }) => files.waiting))
  const waiting = ledgers.reduce((sum, { memory }) => sum + memory.waiting, inFiles)
  const times = ledgers.flatMap(({ memory, files }) => [memory.oldest_at, files.oldest_at])
  const ages = times.flatMap((time) => (time === null ? [] : [now - Date.parse(time)]))
  const oldestMs = Math.max(0, ...ages)
  const isFull = ledgers.some((ledger) => ledger.is_full)
  if (waiting === 0 || (oldestMs < problemDelayMs && !isFull)) return []
  const inFilesText = inFiles > 0 ? `, ${inFiles} of them in files` : ''
  return [
    {
      id: 'ledger',
      tone: isFull ? 'bad' : 'warn',
      title: `${countText(waiting, 'request')} not in the ledger yet`,
      reason: `The oldest has waited for ${duration(oldestMs)}${inFilesText}.${isFull ? ' No further requests are accepted.' : ''}`,
      path: '/requests',
    },
  ]
}

function catalogueProblems({ skipped_count: count, skipped }: Status['host']['catalogue']): ProblemItem[] {
  const [first] = skipped
  if (!first) return []
  const reason = `${first.row}: ${first.reason}${count > 1 ? `; and ${count - 1} more` : ''}`
  return [
    {
      id: 'catalogue',
      tone: 'warn',
      title: `${countText(count, 'entry', 'entries')} of the catalogue skipped`,
      reason,
      path: '/service/catalogue',
    },
  ]
}

function reservationProblems({
  unaccounted_usd: unaccountedUsd,
}: NonNullable<Status['organization']>['money']): ProblemItem[] {
  if (unaccountedUsd === 0) return []
  const reason = 'The amount counts as spent until they report.'
  const title = `${money(unaccountedUsd)} of limits reserved by servers that do not respond`
  return [{ id: 'money', tone: 'warn', title, reason, path: '/keys' }]
}

type Questions = NonNullable<Status['organization']>['interns']['questions']

function questionProblems({ waiting, first_deadline_at: first }: Questions, now: number): ProblemItem[] {
  if (waiting === 0 || first === null) return []
  const reason = `The next deadline is in ${duration(Math.max(0, Date.parse(first) - now))}.`
  const title = `${countText(waiting, 'question')} of interns ${waiting === 1 ? 'waits' : 'wait'} for an answer`
  return [{ id: 'questions', tone: 'warn', title, reason, path: '/interns' }]
}
