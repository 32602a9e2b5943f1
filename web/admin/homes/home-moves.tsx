import { useId, useState } from 'react'
import type { Home, HomeStatus, Problem } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useDryRun } from '../../api/skills.ts'
import { Button } from '../../ui/button.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { MoveDialog } from '../../ui/move.tsx'
import { say } from '../../ui/toast.tsx'
import { listed } from '../../ui/words.ts'

const EFFECTS: Record<HomeStatus, string> = {
  planning: 'The home returns to planning.',
  permitting: 'Permits have been requested.',
  ready_to_start: 'The home can be started. Its budget must be locked first.',
  under_construction: 'Work begins. The budget must be locked.',
  completed: 'The home is built. All work, inspection and delivery tasks must be finished.',
  closed: 'The buyer owns the home. Its sale must be complete.',
  warranty: 'The warranty period begins.',
  archived: 'The home, its tasks and milestones are archived.',
  on_hold: 'Pauses the home. Resuming restores its current status.',
  cancelled: 'Remaining tasks and milestones are archived. This cannot be undone.',
}

/** Every status, in the usual order. */
const ALL = Object.keys(EFFECTS) as HomeStatus[]

/**
 * Returns the most likely next status: the following one, or the one before a hold. The service decides whether it is
 * possible.
 */
function usualNext({ status, statusBeforeHold }: Home): HomeStatus {
  return statusBeforeHold ?? ALL[ALL.indexOf(status) + 1] ?? status
}

/**
 * Returns the statuses that the home can change to, as the problem lists them; undefined if the change was not
 * rejected.
 */
function allowedBy(problem: Problem | null): readonly HomeStatus[] | undefined {
  if (problem?.code !== 'invalid_transition' || !('allowed' in problem)) return undefined
  const { allowed } = problem
  return Array.isArray(allowed) ? ALL.filter((status) => allowed.includes(status)) : undefined
}

/** Changes the status of a home, and first shows what prevents the change. */
export function HomeMoves({ home }: { home: Home }) {
  const may = useMay()
  const [isOpen, setIsOpen] = useState(false)
  if (!may('homes:write') || home.archivedAt !== null) return null
  return (
    <>
      <Button className="keep" onClick={() => setIsOpen(true)}>
        Change status
      </Button>
      {isOpen && <Moving home={home} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function Moving({ home, onClose }: { home: Home; onClose(): void }) {
  const id = useId()
  const may = useMay()
  const canTry = may('skills:write')
  const [to, setTo] = useState<HomeStatus>(() => usualNext(home))
  const [override, setOverride] = useState('')
  // The reason for an override does not affect the outcome, so the trial does not run again for each letter.
  const isOverridden = to === 'closed' && override.trim() !== ''
  const trial = useDryRun(
    'changeHomeStatus',
    { homeId: home.id, status: to, ...(isOverridden && { overrideReason: 'Enter a reason.' }) },
    { enabled: canTry },
  )
  const change = plumbline.useMutation('post', '/api/ext/homes/{homeId}/status', {
    onSuccess: ({ name, status }) => {
      say(`${name}: ${LOOKS.home[status].word.toLowerCase()}`)
      onClose()
    },
  })
  const refusal = change.error ?? trial.error
  const others = ALL.filter((one) => one !== home.status)
  const isRefused = refusal?.status === 409
  const [allowed, setAllowed] = useState<readonly HomeStatus[]>()
  const named = allowedBy(refusal)
  if (named !== undefined && named.join() !== allowed?.join()) setAllowed(named)
  return (
    <MoveDialog
      title={`Change status of ${home.name}`}
      effect={EFFECTS[to]}
      word={to === 'cancelled' ? 'Cancel home' : `Set to ${LOOKS.home[to].word.toLowerCase()}`}
      isDanger={to === 'cancelled'}
      reason="optional"
      trial={canTry ? trial : null}
      error={change.error}
      remedy={() => (named === undefined ? undefined : allowedInWords(home, named))}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={(reason) =>
        change.mutate({
          params: { path: { homeId: home.id } },
          body: {
            status: to,
            ...(reason !== undefined && { reason }),
            ...(isOverridden && { overrideReason: override.trim() }),
          },
        })
      }
      fields={
        <>
          <div className="field">
            <label htmlFor={`${id}-status`}>New status</label>
            <select
              className="input"
              id={`${id}-status`}
              value={to}
              onChange={(event) => {
                change.reset()
                setTo(ALL.find((one) => one === event.target.value) ?? to)
              }}
            >
              {ALL.filter((one) => one === to || (allowed ?? others).includes(one)).map((status) => (
                <option key={status} value={status}>
                  {LOOKS.home[status].word}
                </option>
              ))}
            </select>
          </div>
          {to === 'closed' && (isRefused || override !== '') && (
            <div className="field">
              <label htmlFor={`${id}-override`}>Reason for override</label>
              <input
                className="input"
                id={`${id}-override`}
                maxLength={400}
                value={override}
                onChange={(event) => setOverride(event.target.value)}
              />
              <span className="hint">Recorded in the history. Requires permission to edit sales.</span>
            </div>
          )}
        </>
      }
    />
  )
}

function allowedInWords({ status }: Home, allowed: readonly HomeStatus[]): string {
  const was = LOOKS.home[status].word.toLowerCase()
  if (allowed.length === 0) return `The status of a home that is ${was} cannot be changed.`
  return `A home that is ${was} can become ${listed(allowed.map((one) => LOOKS.home[one].word.toLowerCase()))}.`
}
