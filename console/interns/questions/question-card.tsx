import { useEffect, useRef } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { canUseModelsAndInterns, currentSession } from '../../api/session.ts'
import type { InternElicitation, InternPermission, InternWholePermission } from '../../api/types.ts'
import { FailureState } from '../../components/page/page-states.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { now } from '../../components/window/clock.ts'
import { duration } from '../../format/time.ts'
import { Diff } from '../diff.tsx'
import { answer, sentAnswers } from '../intern-messages.ts'
import type { Creator, OpenQuestion } from '../intern-updates.ts'
import { escapeInvisible } from '../visible-text.ts'
import { FormAnswer } from './form-answer.tsx'

type Offer = { kind: string; label: string; key?: string }

/** The label and the key of each kind of answer. */
const offers: Offer[] = [
  { kind: 'allow_once', label: 'Allow once', key: 'a' },
  { kind: 'allow_always', label: 'Allow always', key: 'A' },
  { kind: 'reject_once', label: 'Reject', key: 'r' },
  { kind: 'reject_always', label: 'Reject always' },
  { kind: 'cancel', label: 'Cancel' },
]

/**
 * The buttons of a permission question: one for each kind, or for each option if several have the same kind. In the API, `options`
 * lists the kinds, and `choices` the options with their names.
 */
function offersOf({ options: kinds, choices = [] }: InternPermission): (Offer & { answer: string })[] {
  return offers.flatMap((offer) => {
    const choicesOfKind = choices.filter(({ kind }) => kind === offer.kind)
    if (choicesOfKind.length > 1)
      return choicesOfKind.map(({ id, name }) => ({
        kind: offer.kind,
        answer: id,
        label: `${offer.label}: ${escapeInvisible(name)}`,
      }))
    const isOffered = offer.kind === 'cancel' || (kinds as string[]).includes(offer.kind)
    return isOffered ? [{ ...offer, answer: offer.kind }] : []
  })
}

type Props = OpenQuestion & { isSelected: boolean; onSelect: () => void }

/** A question with its details, deadline and answers. */
export function QuestionCard({ intern, creator, question, isSelected, onSelect }: Props) {
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isSelected) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected])
  const isSent = sentAnswers.value.has(question.id)
  return (
    <article
      ref={card}
      class={isSelected ? 'question selected-question' : 'question'}
      aria-label={`Question of ${intern.name}`}
      onFocusCapture={onSelect}
      onPointerDown={onSelect}
    >
      <header>
        <h2>
          <a href={`/interns/${intern.id}`}>{intern.name}</a>{' '}
          {question.kind === 'permission' ? (
            <>
              requests permission: <code>{escapeInvisible(question.operation ?? 'act')}</code>
            </>
          ) : (
            'asks for input'
          )}
        </h2>
        <span class="dim">
          for <CreatorName creator={creator} />, asked <RelativeTime time={question.asked_at} />
        </span>
        <span class="dim">
          <a href={`/interns/${intern.id}/${encodeURIComponent(question.session_id)}`}>session</a>
        </span>
        <TimeLeft until={question.deadline_at} />
      </header>
      {question.kind === 'permission' ? (
        <Permission intern={intern} question={question} isSelected={isSelected} isSent={isSent} />
      ) : (
        <FormAnswer
          question={question as InternElicitation}
          isSent={isSent}
          onSend={(reply) => void answer(intern, question, JSON.stringify(reply))}
        />
      )}
    </article>
  )
}

/** The creator of the intern. Managers see questions of other members too. */
function CreatorName({ creator: { creator_user_id: id, creator_name: name } }: { creator: Creator }) {
  return <>{currentSession()?.member.id === id ? 'you' : (name ?? 'a former member')}</>
}

function TimeLeft({ until }: { until: string }) {
  const seconds = Math.floor((Date.parse(until) - now.value.getTime()) / 1000)
  const isSoon = seconds < 60
  return (
    <span class={isSoon ? 'time-left bad' : 'time-left dim'}>
      {seconds >= 0 ? `${isSoon ? `${seconds} s` : duration(seconds * 1000)} left` : 'expired'}
    </span>
  )
}

type PermissionProps = {
  intern: OpenQuestion['intern']
  question: InternPermission
  isSelected: boolean
  isSent: boolean
}

/** A permission question. It can be allowed only after all details are loaded. */
function Permission({ intern, question, isSelected, isSent }: PermissionProps) {
  const params = { internId: intern.id, questionId: question.id }
  const { data, failure, reload } = useGet(
    'GET /interns/{internId}/questions/{questionId}',
    isSent ? undefined : { params },
  )
  // The question is a permission, so its full details are those of a permission.
  const details = data?.data as InternWholePermission | undefined
  return (
    <>
      {details ? (
        <PermissionDetails details={details} />
      ) : (
        question.detail !== undefined && <pre>{escapeInvisible(question.detail)}</pre>
      )}
      {failure && <FailureState failure={failure} onRetry={reload} />}
      <div class="answers">
        {!canUseModelsAndInterns() && <span class="dim">Viewers cannot answer.</span>}
        {canUseModelsAndInterns() &&
          offersOf(question).map(({ kind, answer: chosenAnswer, label, key }) => (
            <button
              key={chosenAnswer}
              type="button"
              class={kind === 'allow_once' ? 'main' : kind === 'cancel' ? 'bare' : ''}
              data-key={key}
              disabled={isSent || (kind.startsWith('allow') && !details)}
              onClick={() => void answer(intern, question, chosenAnswer)}
            >
              {label} {key && isSelected && <kbd>{key}</kbd>}
            </button>
          ))}
        {isSent && <span class="dim">sent</span>}
      </div>
    </>
  )
}

function PermissionDetails({
  details: { command, folder, detail, changes, paths },
}: {
  details: InternWholePermission
}) {
  const otherPaths = paths.filter((path) => !changes.some((change) => change.path === path))
  const text = command ?? (changes.length === 0 ? detail : undefined)
  const hasOtherDetail = detail !== text && detail !== undefined
  return (
    <>
      {folder && <p>In {escapeInvisible(folder)}:</p>}
      {text !== undefined && <pre>{escapeInvisible(text)}</pre>}
      {changes.map(({ path, diff }) => (
        <Diff key={path} path={path} diff={diff} />
      ))}
      {hasOtherDetail && (
        <details>
          <summary class="dim">as described by the intern</summary>
          <pre>{escapeInvisible(detail)}</pre>
        </details>
      )}
      {otherPaths.length > 0 && <p class="dim">Files: {otherPaths.map(escapeInvisible).join(', ')}</p>}
    </>
  )
}
