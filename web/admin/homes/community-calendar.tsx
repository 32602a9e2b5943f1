import { useState } from 'react'
import type { Community, CommunityReschedule, HomeReschedule } from '../../../client/contract.gen.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { ChangedSince } from '../../ui/changed-since.tsx'
import { Field, FieldErrorAt, Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

type Calendar = Pick<Community, 'workdays' | 'holidays'>

/** The days of the week in the order of their ISO numbers. */
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const FORM_ID = 'calendar'

/**
 * Shows the workdays and holidays of a community. Before the user saves a change, shows the tasks that it would move.
 */
export function CommunityCalendar({ community }: { community: Community }) {
  const can = useCan()
  const { day, today } = useFormats()
  const [draft, setDraft] = useState<Calendar | null>(null)
  if (draft !== null) {
    return <CalendarForm community={community} draft={draft} onChange={setDraft} onDone={() => setDraft(null)} />
  }
  const { workdays, holidays } = community
  const coming = holidays.filter((date) => date >= today()).sort()
  return (
    <Panel
      title="Workdays and holidays"
      actions={
        can('communities:write') &&
        community.archivedAt === null && (
          <Button small onClick={() => setDraft({ workdays, holidays })}>
            Edit<span className="sr"> workdays and holidays</span>
          </Button>
        )
      }
    >
      <KeyValues
        facts={[
          ['Workdays', WEEKDAYS.filter((_, at) => workdays.includes(at + 1)).join(', ')],
          [
            'Coming holidays',
            coming.length === 0 ? <EmptyCell word="none" /> : coming.map((date) => day(date)).join(', '),
          ],
        ]}
      />
    </Panel>
  )
}

function CalendarForm(props: {
  community: Community
  draft: Calendar
  onChange(draft: Calendar): void
  onDone(): void
}) {
  const { community, draft, onChange, onDone } = props
  const can = useCan()
  const { day, today } = useFormats()
  const [added, setAdded] = useState('')
  // Sends the version from when the form was opened, so that no change by another user is overwritten.
  const [before] = useState(community)
  const { workdays, holidays } = draft
  const isEdited = !hasSameDays(workdays, community.workdays) || !hasSameDays(holidays, community.holidays)
  const preview = useDryRun(
    'updateCommunity',
    { communityId: community.id, workdays, holidays },
    { enabled: isEdited && workdays.length > 0 && can('skills:write') },
  )
  const change = plumbline.useMutation('patch', '/api/ext/communities/{communityId}', {
    onSuccess: ({ name, reschedule }) => {
      const pending = reschedule?.homesPending ?? 0
      const tasks = formatCount(reschedule?.tasksMoved ?? 0, 'task')
      showToast(
        pending === 0
          ? `${name} updated, ${tasks} moved`
          : `${name} updated. All of the ${tasks} will have moved within a minute.`,
      )
      onDone()
    },
  })
  const isConflict = toErrorMessage(change.error).problem?.code === 'precondition_failed'
  const save = (version: number) =>
    change.mutate({
      params: { path: { communityId: community.id }, header: { 'If-Match': `"${version}"` } },
      body: { workdays, holidays },
    })
  const add = () => {
    if (added === '' || holidays.includes(added)) return
    onChange({ workdays, holidays: [...holidays, added].sort() })
    setAdded('')
  }
  return (
    <>
      <Panel title="Workdays and holidays">
        <Form id={FORM_ID} error={isConflict ? null : change.error} onSubmit={() => save(before.version)}>
          {isConflict && community.version !== before.version && (
            <ChangedSince
              error={change.error}
              before={before}
              now={community}
              onOverwrite={() => save(community.version)}
            />
          )}
          <fieldset>
            <legend>Workdays</legend>
            <div className="row wrap">
              {WEEKDAYS.map((word, at) => (
                <label className="check" key={word}>
                  <input
                    type="checkbox"
                    name={word}
                    checked={workdays.includes(at + 1)}
                    onChange={(event) =>
                      onChange({
                        workdays: event.target.checked
                          ? [...workdays, at + 1].sort()
                          : workdays.filter((one) => one !== at + 1),
                        holidays,
                      })
                    }
                  />
                  {word}
                </label>
              ))}
            </div>
            <FieldErrorAt pointer="/workdays" />
          </fieldset>
          <div className="row wrap end">
            <Field name="holidays" label="Add a holiday">
              {(control) => (
                <input
                  {...control}
                  className="input"
                  type="date"
                  value={added}
                  onChange={(event) => setAdded(event.target.value)}
                />
              )}
            </Field>
            <Button onClick={add} disabled={added === '' || holidays.includes(added)}>
              Add holiday
            </Button>
          </div>
          <ul className="row wrap" aria-label="Coming holidays">
            {holidays
              .filter((date) => date >= today())
              .map((date) => (
                <li className="chip" key={date}>
                  {day(date)}
                  <button
                    type="button"
                    aria-label={`Remove ${day(date)}`}
                    onClick={() => onChange({ workdays, holidays: holidays.filter((one) => one !== date) })}
                  >
                    <Icon name="x" />
                  </button>
                </li>
              ))}
          </ul>
          <div className="row wrap">
            <Button look="primary" type="submit" busy={change.isPending} disabled={!isEdited || workdays.length === 0}>
              Save calendar
            </Button>
            <Button onClick={onDone}>Cancel</Button>
          </div>
        </Form>
      </Panel>
      {isEdited && preview.error !== null && <ChangeError error={preview.error} />}
      {isEdited && preview.data?.result.reschedule != null && <ReschedulePreview of={preview.data.result.reschedule} />}
    </>
  )
}

function hasSameDays<Day>(one: readonly Day[], other: readonly Day[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item))
}

/** Lists the homes whose tasks would move if the calendar changed. */
function ReschedulePreview({ of: reschedule }: { of: CommunityReschedule }) {
  const { day } = useFormats()
  const { homesMoved, tasksMoved, vendorsNotified } = reschedule
  const columns: readonly Column<HomeReschedule>[] = [
    { head: 'Home', cell: ({ name }) => name },
    {
      head: 'Tasks on the changed days',
      cell: ({ moved }) =>
        moved.length === 0 ? (
          <EmptyCell word="none" />
        ) : (
          moved
            .map(({ name, oldStart, newStart, oldEnd, newEnd }) =>
              // A task that continues over a new holiday starts as before and ends later.
              oldStart === newStart
                ? `${name} (ends ${day(newEnd)} instead of ${day(oldEnd)})`
                : `${name} (${day(oldStart)} to ${day(newStart)})`,
            )
            .join(', ')
        ),
    },
    { head: 'Tasks moved', className: 'num', cell: ({ tasksMoved: count }) => count },
    {
      head: 'Completion',
      cell: ({ oldForecast, newForecast }) =>
        oldForecast === null || newForecast === null || oldForecast === newForecast
          ? 'unchanged'
          : `${day(oldForecast)} to ${day(newForecast)}`,
    },
  ]
  return (
    <Panel
      title="Preview"
      hint="nothing is saved yet"
      isFlush
      foot={`${formatCount(vendorsNotified, 'vendor gets', 'vendors get')} a notice of other dates`}
    >
      <div className="body">
        <p role="status">
          {tasksMoved === 0
            ? 'No task moves.'
            : `${formatCount(tasksMoved, 'task moves', 'tasks move')} in ${formatCount(homesMoved, 'home')}.`}
        </p>
      </div>
      {reschedule.homes !== null && reschedule.homes.length > 0 && (
        <div className="table-wrap">
          <Table caption="Homes that move" columns={columns} rows={reschedule.homes} keyOf={({ homeId }) => homeId} />
        </div>
      )}
    </Panel>
  )
}
