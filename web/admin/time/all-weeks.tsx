import { useState } from 'react'
import { useListPage } from '../../api/list-pages.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, SelectField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { TimeTabs } from './time-tabs.tsx'
import { useWeek, type Week } from './use-week.ts'
import { GRID_SIZE, WeekGrid } from './week-grid.tsx'
import { WeekSteps } from './week-steps.tsx'

/** The page size limit of one request. */
const MAX_USERS = 200

/** Shows the hours of all users in a week. */
export function Component() {
  const can = useCan()
  const week = useWeek()
  const [isNew, setIsNew] = useState(false)
  return (
    <Page
      title="All weeks"
      crumbs={[{ name: 'Time', to: '/time' }, { name: 'All weeks' }]}
      actions={
        can('timesheets:write') &&
        can('users:read') && (
          <Button look="primary" onClick={() => setIsNew(true)}>
            New timesheet
          </Button>
        )
      }
    >
      <div className="page-head">
        <h1>All weeks</h1>
        <p>Hours of each user by day.</p>
      </div>
      <TimeTabs />
      {week === undefined ? <SkeletonLines lines={8} /> : <UsersWeek week={week} />}
      {isNew && week !== undefined && <NewTimesheetDialog week={week} onClose={() => setIsNew(false)} />}
    </Page>
  )
}

function UsersWeek({ week }: { week: Week }) {
  const [cursors, setCursors] = useState<{ week: string; list: readonly string[] }>({ week: week.from, list: [] })
  // The pages of one week do not apply to another week.
  const list = cursors.week === week.from ? cursors.list : []
  const cursor = list.at(-1)
  const { data, error, refetch } = useListPage(
    '/api/ext/timesheets',
    {
      weekStarting: week.from,
      limit: GRID_SIZE,
      sort: 'createdAt',
      expand: ['user'],
      ...(cursor !== undefined && { cursor }),
    },
    { meta: MAIN_QUERY },
  )
  const next = data?.nextCursor ?? null
  return (
    <>
      <WeekSteps week={week} />
      {error !== null ? (
        <LoadError what="The timesheets" error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 && cursor === undefined ? (
        <EmptyState icon="clock" title="No timesheets in this week">
          A timesheet starts when a user clocks in or enters hours.
        </EmptyState>
      ) : (
        <WeekGrid timesheets={data?.data} showsWeek={false} />
      )}
      {(next !== null || list.length > 0) && (
        <div className="pager">
          <span className="btns">
            <Button
              small
              disabled={list.length === 0}
              onClick={() => setCursors({ week: week.from, list: list.slice(0, -1) })}
            >
              Previous
            </Button>
            <Button
              small
              disabled={next === null}
              onClick={() => next !== null && setCursors({ week: week.from, list: [...list, next] })}
            >
              Next
            </Button>
          </span>
        </div>
      )}
    </>
  )
}

function NewTimesheetDialog({ week, onClose }: { week: Week; onClose(): void }) {
  const users = useListPage('/api/ext/users', { limit: MAX_USERS, sort: 'name' })
  const change = plumbline.useMutation('post', '/api/ext/timesheets', {
    onSuccess: () => {
      showToast('Timesheet started')
      onClose()
    },
  })
  return (
    <FormDialog
      title="New timesheet"
      size="narrow"
      word="Create timesheet"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({ body: { userId: readTextField(form, 'userId') ?? '', weekStarting: week.from } })
      }
    >
      <SelectField
        name="userId"
        label="User"
        options={[
          { value: '', label: 'Choose one' },
          ...(users.data?.data ?? [])
            .filter(({ status, role }) => status !== 'disabled' && role !== 'vendor')
            .map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </FormDialog>
  )
}
