import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Home, ScheduledTask } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { NewTaskDialog } from './task-form.tsx'

/** The page size limit of one request. */
const MAX_TEMPLATES = 200

/** Shows the buttons for changes to the whole schedule: a new task, a template, a baseline, and calendar feeds. */
export function ScheduleTools(props: {
  home: Home
  tasks: readonly ScheduledTask[]
  hasBaseline: boolean
  isBaselineShown: boolean
  onBaselineShown(isShown: boolean): void
}) {
  const { home, tasks, hasBaseline, isBaselineShown, onBaselineShown } = props
  const can = useCan()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'task' | 'template' | 'baseline' | null>(null)
  const canEdit = can('tasks:write') && home.archivedAt === null && home.status !== 'cancelled'
  const onClose = () => setOpen(null)
  return (
    <div className="row wrap">
      {hasBaseline && (
        <label className="check">
          <input
            type="checkbox"
            checked={isBaselineShown}
            onChange={(event) => onBaselineShown(event.target.checked)}
          />
          Show baseline
        </label>
      )}
      {canEdit && (
        <>
          <Menu.Root>
            <Menu.Trigger render={<Button small>Edit schedule</Button>} />
            <Menu.Portal>
              <Menu.Positioner className="over" sideOffset={4} align="end">
                <Menu.Popup className="menu">
                  <Menu.Item onClick={() => setOpen('template')}>Apply template…</Menu.Item>
                  {tasks.length > 0 && <Menu.Item onClick={() => setOpen('baseline')}>Set baseline…</Menu.Item>}
                  <Menu.Item onClick={() => void navigate(`/actions/createMilestone?homeId=${home.id}`)}>
                    Add milestone…
                  </Menu.Item>
                  <Menu.Item
                    onClick={() => void navigate(`/actions/createCalendarFeed?communityId=${home.communityId}`)}
                  >
                    Create calendar feed…
                  </Menu.Item>
                </Menu.Popup>
              </Menu.Positioner>
            </Menu.Portal>
          </Menu.Root>
          <Button small look="primary" icon="plus" onClick={() => setOpen('task')}>
            New task
          </Button>
        </>
      )}
      {open === 'task' && <NewTaskDialog homeId={home.id} {...{ tasks, onClose }} />}
      {open === 'template' && <TemplateDialog home={home} count={tasks.length} onClose={onClose} />}
      {open === 'baseline' && <BaselineDialog home={home} onClose={onClose} />}
    </div>
  )
}

/** Lets the user create a home's schedule from a template. */
function TemplateDialog({ home, count, onClose }: { home: Home; count: number; onClose(): void }) {
  const { today } = useFormats()
  const templates = useListPage('/api/ext/task-templates', { limit: MAX_TEMPLATES })
  const change = plumbline.useMutation('post', '/api/ext/homes/{homeId}/schedule/template', {
    onSuccess: ({ tasksCreated }) => {
      showToast(`${formatCount(tasksCreated, 'task')} added to ${home.name}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Apply template"
      word={count === 0 ? 'Create schedule' : 'Replace schedule'}
      isDanger={count > 0}
      {...{ change, onClose }}
      onSubmit={(form) => {
        const taskTemplateId = readTextField(form, 'taskTemplateId')
        change.mutate({
          params: { path: { homeId: home.id } },
          body: {
            ...{ startDate: readTextField(form, 'startDate') ?? '', replace: count > 0 },
            ...(taskTemplateId !== undefined && { taskTemplateId }),
          },
        })
      }}
    >
      {count > 0 && (
        <p>
          The template replaces the {formatCount(count, 'task')} of {home.name}. The tasks are archived. A schedule that
          has started cannot be replaced.
        </p>
      )}
      <SelectField
        name="taskTemplateId"
        label="Template"
        options={[
          { value: '', label: 'Best match for the plan and community' },
          ...(templates.data?.data ?? []).map(({ id, name, taskCount }) => ({
            value: id,
            label: `${name} (${formatCount(taskCount, 'task')})`,
          })),
        ]}
      />
      <TextField name="startDate" label="First day" type="date" defaultValue={home.startDate ?? today()} />
    </FormDialog>
  )
}

/** Lets the user save the planned dates of all tasks as the baseline. */
function BaselineDialog({ home, onClose }: { home: Home; onClose(): void }) {
  const change = plumbline.useMutation('post', '/api/ext/homes/{homeId}/schedule/baseline', {
    onSuccess: ({ changed }) => {
      showToast(`Baseline of ${home.name} set, ${formatCount(changed.length, 'task')} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Set the baseline of ${home.name}?`}
      size="narrow"
      word="Set baseline"
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { homeId: home.id } } })}
    >
      <p>
        The current planned dates become the baseline for later comparison. They replace the previous baseline, which
        cannot be restored.
      </p>
    </FormDialog>
  )
}
