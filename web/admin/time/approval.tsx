import { useState } from 'react'
import { useListPage } from '../../api/list-pages.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { useCan } from '../../api/session.ts'
import { useSkill } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadError } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { TimeTabs } from './time-tabs.tsx'
import { GRID_SIZE, WeekGrid } from './week-grid.tsx'

/** Lists the weeks that await approval, oldest first, so that each decision shows the next weeks. */
export function Component() {
  const can = useCan()
  const { shortDay } = useFormats()
  const [week, setWeek] = useState<string | null>(null)
  const { data, error, refetch } = useListPage(
    '/api/ext/timesheets',
    { status: 'submitted', limit: GRID_SIZE, sort: 'weekStarting', expand: ['user'] },
    { meta: MAIN_QUERY },
  )
  const rows = data?.data
  const weeks = [...new Set((rows ?? []).map(({ weekStarting }) => weekStarting))].sort()
  const mayApproveAll = can('timesheets:write') && can('users:read') && can('skills:write')
  return (
    <Page title="Approval of time" crumbs={[{ name: 'Time', to: '/time' }, { name: 'Approval' }]}>
      <div className="page-head">
        <h1>Approval of time</h1>
        <p>Submitted weeks. Approval posts the cost to the budgets of the homes.</p>
      </div>
      <TimeTabs />
      {mayApproveAll && weeks.length > 0 && (
        <div className="row wrap">
          {weeks.map((start) => (
            <Button key={start} onClick={() => setWeek(start)}>
              Approve all of the week of {shortDay(start)}
            </Button>
          ))}
        </div>
      )}
      {error !== null ? (
        <LoadError what="The timesheets" error={error} onRetry={() => void refetch()} />
      ) : rows?.length === 0 ? (
        <EmptyState icon="check" title="You're all caught up">
          Submitted weeks appear here.
        </EmptyState>
      ) : (
        <WeekGrid timesheets={rows} showsWeek />
      )}
      {data?.nextCursor != null && (
        <p className="small muted">The first {GRID_SIZE} weeks are shown. Decide them to see the others.</p>
      )}
      {week !== null && <ApproveWeekDialog week={week} onClose={() => setWeek(null)} />}
    </Page>
  )
}

function ApproveWeekDialog({ week, onClose }: { week: string; onClose(): void }) {
  const { shortDay } = useFormats()
  const [refused, setRefused] = useState<readonly { label: string; detail: string }[]>([])
  const { run, ...change } = useSkill('approveTimesheets', {
    onSuccess({ result }) {
      showToast(
        `${formatCount(result.approved.length, 'timesheet')} approved with ${formatQuantity(result.hours)} ${result.hours === 1 ? 'hour' : 'hours'}`,
      )
      if (result.refused.length === 0) onClose()
      else setRefused(result.refused.map(({ label, problem }) => ({ label, detail: problem.detail })))
    },
  })
  return (
    <FormDialog
      title={`Approve the week of ${shortDay(week)}?`}
      size="narrow"
      word="Approve all"
      {...{ change, onClose }}
      onSubmit={() => run({ weekStarting: week })}
    >
      <p>The cost of all submitted hours of this week is posted to the budgets. This cannot be undone.</p>
      {refused.length > 0 && (
        <div className="banner" data-tone="warn" role="alert">
          <div>
            <strong>{formatCount(refused.length, 'timesheet')} not approved.</strong>
            {refused.map(({ label, detail }) => (
              <p key={label}>
                {label}: {detail}
              </p>
            ))}
          </div>
        </div>
      )}
    </FormDialog>
  )
}
