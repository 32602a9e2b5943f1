import { useState } from 'react'
import { Link } from 'react-router'
import type { Milestone } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The maximum number of milestones. A home has about ten, so one request reads all of them. */
const MAX_MILESTONES = 200

/** Lists a home's milestones with their target and forecast dates. Hidden if there are none. */
export function HomeMilestones({ homeId }: { homeId: string }) {
  const can = useCan()
  const { day } = useFormats()
  const [completing, setCompleting] = useState<Milestone | null>(null)
  const { data } = useListPage('/api/ext/milestones', { homeId, limit: MAX_MILESTONES, sort: 'createdAt' })
  const rows = data?.data ?? []
  if (rows.length === 0) return null
  const dayOrNone = (date: string | null) => (date === null ? <EmptyCell word="none" /> : day(date))
  const columns: readonly Column<Milestone>[] = [
    { head: 'Milestone', cell: ({ name }) => name },
    { head: 'Type', cell: ({ milestoneType }) => humanizeName(milestoneType) },
    { head: 'Target', className: 'nowrap', cell: ({ targetDate }) => dayOrNone(targetDate) },
    {
      head: 'Forecast',
      className: 'nowrap',
      cell: ({ forecastDate, targetDate }) => (
        <span
          className={forecastDate !== null && targetDate !== null && forecastDate > targetDate ? 'tone-bad' : undefined}
        >
          {dayOrNone(forecastDate)}
        </span>
      ),
    },
    {
      head: 'Completed',
      className: 'nowrap',
      cell: ({ completedDate }) => (completedDate === null ? <EmptyCell word="not yet" /> : day(completedDate)),
    },
    ...(can('tasks:write')
      ? [
          {
            head: 'Actions',
            cell: (milestone: Milestone) => (
              <span className="row">
                {milestone.status === 'pending' && (
                  <Button small onClick={() => setCompleting(milestone)}>
                    Complete<span className="sr"> {milestone.name}</span>
                  </Button>
                )}
                <Link to={`/actions/updateMilestone?milestoneId=${milestone.id}`}>
                  Edit<span className="sr"> {milestone.name}</span>
                </Link>
              </span>
            ),
          },
        ]
      : []),
  ]
  return (
    <Panel title="Milestones" isFlush>
      <div className="table-wrap">
        <Table caption="Milestones" columns={columns} rows={rows} keyOf={({ id }) => id} />
      </div>
      {completing !== null && <CompleteDialog milestone={completing} onClose={() => setCompleting(null)} />}
    </Panel>
  )
}

function CompleteDialog({ milestone, onClose }: { milestone: Milestone; onClose(): void }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/milestones/{milestoneId}/complete', {
    onSuccess: ({ name }) => {
      showToast(`${name} completed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Complete ${milestone.name}?`}
      size="narrow"
      word="Complete"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const date = readTextField(form, 'date')
        change.mutate({
          params: { path: { milestoneId: milestone.id } },
          body: { ...(date !== undefined && { date }) },
        })
      }}
    >
      <TextField name="date" label="Date" type="date" defaultValue={today()} max={today()} />
    </FormDialog>
  )
}
