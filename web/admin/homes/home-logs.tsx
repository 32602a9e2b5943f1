import { useMemo, useState } from 'react'
import type { DailyLog, DailyLogWeather } from '../../../client/contract.gen.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { readTextField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { Signatures, useSignatures } from './signatures.tsx'

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.dailyLog).map(([value, { word }]) => ({ value, label: word })),
  },
]

/** Lists the home's daily logs, with a form for the log of a day. */
export function HomeLogs({ homeId }: { homeId: string }) {
  const { day } = useFormats()
  const mayWrite = useCan()('logs:write')
  const [isAdding, setIsAdding] = useState(false)
  const signatures = useSignatures(homeId)
  const columns = useMemo<readonly Column<DailyLog>[]>(
    () => [
      {
        head: 'Day',
        sort: 'logDate',
        cell: ({ logDate, weather }) => (
          <>
            <span className="lead">{day(logDate)}</span>
            {weather !== null && <span className="sub">{describeWeather(weather)}</span>}
          </>
        ),
        csv: ({ logDate }) => logDate,
      },
      { head: 'Status', cell: ({ status }) => <Status of="dailyLog" is={status} />, csv: ({ status }) => status },
      {
        head: 'Work',
        className: 'long',
        cell: (log) => (
          <>
            {log.workDone ?? <EmptyCell word="nothing entered" />}
            <span className="sub">{describeActivity(log)}</span>
            <Signatures files={signatures} recordId={log.id} />
          </>
        ),
        csv: ({ workDone }) => workDone,
      },
      {
        head: 'Document',
        cell: ({ id, logDate }) => (
          <a href={`${root}/api/ext/daily-logs/${id}/pdf`} aria-label={`PDF of the log of ${day(logDate)}`}>
            PDF
          </a>
        ),
      },
      ...(mayWrite
        ? [
            {
              head: 'Submit',
              cell: (log: DailyLog) => (log.status === 'draft' ? <SubmitButton log={log} /> : null),
            },
          ]
        : []),
    ],
    [day, mayWrite, signatures],
  )
  return (
    <>
      <Listing
        path="/api/ext/daily-logs"
        nouns={['log', 'logs']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-logDate"
        searchIn="Work or note to the owner"
        filters={FILTERS}
        query={{ homeId }}
        aside={
          mayWrite && (
            <Button icon="plus" onClick={() => setIsAdding(true)}>
              Add log
            </Button>
          )
        }
        empty={
          <EmptyState icon="clock" title="No daily logs yet">
            Record weather, crews and work of a day. Tasks, inspections and hours of the day are added automatically.
          </EmptyState>
        }
      />
      {isAdding && <AddLogDialog homeId={homeId} onClose={() => setIsAdding(false)} />}
    </>
  )
}

function describeWeather({ condition, high, low, workable }: NonNullable<DailyLog['weather']>): string {
  const range = [high, low].filter((degrees) => degrees !== null).map((degrees) => `${degrees}°`)
  const parts = [humanizeName(condition), range.join(' to '), workable ? '' : 'no work possible']
  return parts.filter((part) => part !== '').join(', ')
}

function describeActivity({ crews, activity }: DailyLog): string {
  const { tasksStarted, tasksCompleted, delays, photoCount } = activity
  const counts: [number, string, string][] = [
    [crews.length, 'crew', 'crews'],
    [tasksStarted.length, 'task started', 'tasks started'],
    [tasksCompleted.length, 'task completed', 'tasks completed'],
    [delays.length, 'delay', 'delays'],
    [photoCount, 'photo', 'photos'],
  ]
  return counts.flatMap(([count, one, several]) => (count === 0 ? [] : formatCount(count, one, several))).join(', ')
}

function SubmitButton({ log: { id: dailyLogId, logDate } }: { log: DailyLog }) {
  const { day } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/daily-logs/{dailyLogId}/submit', {
    onSuccess: () => showToast(`Log of ${day(logDate)} submitted`),
  })
  return (
    <Button
      small
      busy={change.isPending}
      aria-label={`Submit the log of ${day(logDate)}`}
      onClick={() => change.mutate({ params: { path: { dailyLogId } } })}
    >
      Submit
    </Button>
  )
}

const CONDITIONS: readonly DailyLogWeather['condition'][] = ['clear', 'cloudy', 'rain', 'snow', 'wind']

function AddLogDialog({ homeId, onClose }: { homeId: string; onClose(): void }) {
  const { day, today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/daily-logs', {
    onSuccess: ({ logDate }) => {
      showToast(`Log of ${day(logDate)} added`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add daily log"
      word="Add log"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const [logDate, workDone, ownerNote] = ['logDate', 'workDone', 'ownerNote'].map((name) =>
          readTextField(form, name),
        )
        const condition = CONDITIONS.find((each) => each === readTextField(form, 'condition'))
        change.mutate({
          body: {
            homeId,
            ...(logDate !== undefined && { logDate }),
            ...(workDone !== undefined && { workDone }),
            ...(ownerNote !== undefined && { ownerNote }),
            ...(condition !== undefined && { weather: { condition, workable: !form.has('stopped') } }),
          },
        })
      }}
    >
      <TextField name="logDate" label="Day" type="date" defaultValue={today()} max={today()} />
      <SelectField
        name="condition"
        label="Weather"
        options={CONDITIONS.map((value) => ({ value, label: humanizeName(value) }))}
      />
      <label className="check">
        <input type="checkbox" name="stopped" />
        The weather did not allow any work
      </label>
      <TextAreaField name="workDone" label="Work done" optional />
      <TextAreaField name="ownerNote" label="Note to the owner" optional />
    </FormDialog>
  )
}
