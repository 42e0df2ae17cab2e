import { useEffect, useRef } from 'preact/hooks'
import { useGet } from '../api/resource.ts'
import { asks, useMe } from '../api/session.ts'
import type { InternElicitation, InternPermission, InternWholePermission } from '../api/types.ts'
import { now } from '../components/clock.ts'
import { Ago } from '../components/timestamp.tsx'
import { duration } from '../format/time.ts'
import { Diff } from './diff.tsx'
import { FormAnswer } from './form-answer.tsx'
import { answer, answered } from './intern-messages.ts'
import type { Creator, Waiting } from './intern-updates.ts'
import { shown } from './visible-text.ts'

type Offer = { option: string; says: string; key?: string }

/** What each answer is called, and its key. */
const offers: Offer[] = [
  { option: 'allow_once', says: 'Allow once', key: 'a' },
  { option: 'allow_always', says: 'Allow always', key: 'A' },
  { option: 'reject_once', says: 'Reject', key: 'r' },
  { option: 'reject_always', says: 'Reject always' },
  { option: 'cancel', says: 'Cancel' },
]

/** The buttons of a permission: one for each kind, or one for each option where several are of a kind. */
function offersOf({ options, choices = [] }: InternPermission): (Offer & { sends: string })[] {
  return offers.flatMap((offer) => {
    const ofKind = choices.filter(({ kind }) => kind === offer.option)
    if (ofKind.length > 1)
      return ofKind.map(({ id, name }) => ({ option: offer.option, sends: id, says: `${offer.says}: ${shown(name)}` }))
    const isOffered = offer.option === 'cancel' || (options as string[]).includes(offer.option)
    return isOffered ? [{ ...offer, sends: offer.option }] : []
  })
}

type Props = { waiting: Waiting; isFront: boolean; choose: () => void }

/** One question: whose, what exactly, since when and until when it waits, and the answers that it takes. */
export function QuestionCard({ waiting: { intern, creator, question }, isFront, choose }: Props) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isFront) place.current?.scrollIntoView({ block: 'nearest' })
  }, [isFront])
  const isSent = answered.value.has(question.id)
  return (
    <article
      ref={place}
      class={isFront ? 'question front' : 'question'}
      aria-label={`Question of ${intern.name}`}
      onFocusCapture={choose}
      onPointerDown={choose}
    >
      <header>
        <h2>
          <a href={`/interns/${intern.id}`}>{intern.name}</a>{' '}
          {question.kind === 'permission' ? (
            <>
              requests permission: <code>{shown(question.operation ?? 'act')}</code>
            </>
          ) : (
            'asks for input'
          )}
        </h2>
        <span class="dim">
          for <Whose creator={creator} />, asked <Ago time={question.asked_at} />
        </span>
        <span class="dim">
          <a href={`/interns/${intern.id}/${encodeURIComponent(question.session_id)}`}>session</a>
        </span>
        <TimeLeft until={question.deadline_at} />
      </header>
      {question.kind === 'permission' ? (
        <Permission waiting={{ intern, creator, question }} isFront={isFront} isSent={isSent} />
      ) : (
        <FormAnswer
          question={question as InternElicitation}
          isSent={isSent}
          send={(said) => void answer(intern, question, JSON.stringify(said))}
        />
      )}
    </article>
  )
}

/** For whom it works: a manager sees those of others too. */
function Whose({ creator: { creator_user_id: id, creator_name: name } }: { creator: Creator }) {
  return <>{useMe()?.member.id === id ? 'you' : (name ?? 'a former member')}</>
}

function TimeLeft({ until }: { until: string }) {
  const ms = Date.parse(until) - now.value.getTime()
  const isSoon = ms < 60_000
  return (
    <span class={isSoon ? 'time-left bad' : 'time-left dim'}>
      {ms > 0 ? `${duration(Math.floor(ms / 1000) * 1000)} left` : 'expired'}
    </span>
  )
}

type PermissionProps = { waiting: Waiting & { question: InternPermission }; isFront: boolean; isSent: boolean }

/** Nothing can be allowed before all of it is there to be read. */
function Permission({ waiting: { intern, question }, isFront, isSent }: PermissionProps) {
  const params = { internId: intern.id, questionId: question.id }
  const { data, failure, reload } = useGet(
    'GET /interns/{internId}/questions/{questionId}',
    isSent ? undefined : { params },
  )
  const whole = data?.data as InternWholePermission | undefined
  return (
    <>
      {whole ? <Whole whole={whole} /> : question.detail !== undefined && <pre>{shown(question.detail)}</pre>}
      {failure && (
        <p class="bad" role="alert">
          The details could not be loaded: {failure.message}{' '}
          <button type="button" onClick={reload}>
            Try again
          </button>
        </p>
      )}
      <div class="answers">
        {!asks() && <span class="dim">Viewers cannot answer.</span>}
        {asks() &&
          offersOf(question).map(({ option, sends, says, key }) => (
            <button
              key={sends}
              type="button"
              class={option === 'allow_once' ? 'main' : option === 'cancel' ? 'bare' : ''}
              data-key={key}
              disabled={isSent || (option.startsWith('allow') && !whole)}
              onClick={() => void answer(intern, question, sends)}
            >
              {says} {key && isFront && <kbd>{key}</kbd>}
            </button>
          ))}
        {isSent && <span class="dim">sent</span>}
      </div>
    </>
  )
}

function Whole({ whole: { command, detail, changes, paths } }: { whole: InternWholePermission }) {
  const others = paths.filter((path) => !changes.some((change) => change.path === path))
  const text = command ?? (changes.length === 0 ? detail : undefined)
  const more = detail !== text && detail !== undefined
  return (
    <>
      {text !== undefined && <pre>{shown(text)}</pre>}
      {changes.map(({ path, diff }) => (
        <Diff key={path} path={path} diff={diff} />
      ))}
      {more && (
        <details>
          <summary class="dim">as described by the intern</summary>
          <pre>{shown(detail)}</pre>
        </details>
      )}
      {others.length > 0 && <p class="dim">Files: {others.map(shown).join(', ')}</p>}
    </>
  )
}
