import { Menu } from '@base-ui/react/menu'
import { type ReactElement, useState } from 'react'
import type { Task } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { IconButton } from '../../ui/button.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { FilesDialog } from '../files/file-viewer.tsx'
import { DecideDateDialog, RecordAnswerDialog, RequestConfirmationDialog } from './task-confirmation.tsx'
import { CompleteTaskDialog, MoveTaskDialog, type TaskMoveKind } from './task-moves.tsx'

type OpenDialog = TaskMoveKind | 'complete' | 'ask' | 'answer' | 'decide' | 'files' | null

/** Shows the buttons to report the start or the completion of a task, or the vendor's response to its date. */
export function TaskActions({ task, trigger }: { task: Task; trigger?: ReactElement }) {
  const can = useCan()
  const { shortDay } = useFormats()
  const [open, setOpen] = useState<OpenDialog>(null)
  if (!can('tasks:write') || task.archivedAt !== null) return null
  const props = { task, onClose: () => setOpen(null) }
  const item = (to: Exclude<OpenDialog, null>, word: string) => (
    <Menu.Item onClick={() => setOpen(to)}>{word}</Menu.Item>
  )
  const { status, confirmation } = task
  const isWaiting = status === 'not_started'
  const isUnderWay = isWaiting || status === 'in_progress'
  const proposed = confirmation.status === 'reschedule_requested' ? confirmation.proposedStart : null
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          render={trigger ?? <IconButton icon="dots" label={`Actions for ${task.name}`} look="quiet" small />}
        />
        <Menu.Portal>
          <Menu.Positioner className="over" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              {isWaiting && item('in_progress', 'Start…')}
              {isUnderWay && item('complete', 'Complete…')}
              {isWaiting && proposed !== null && item('decide', `Review proposed date ${shortDay(proposed)}…`)}
              {isWaiting && task.vendorId !== null && proposed === null && item('ask', 'Request confirmation…')}
              {isWaiting && task.vendorId !== null && item('answer', 'Record vendor response…')}
              {isUnderWay && item('on_hold', 'Put on hold…')}
              {isWaiting && item('skipped', 'Skip…')}
              {(status === 'on_hold' || status === 'skipped') && item('resume', 'Resume…')}
              {status === 'completed' && item('resume', 'Reopen…')}
              {item('files', 'Files…')}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {(open === 'in_progress' || open === 'on_hold' || open === 'skipped' || open === 'resume') && (
        <MoveTaskDialog {...props} to={open} />
      )}
      {open === 'complete' && <CompleteTaskDialog {...props} />}
      {open === 'files' && (
        <FilesDialog recordId={task.id} name={task.name} needs="tasks:write" onClose={props.onClose} />
      )}
      {open === 'ask' && <RequestConfirmationDialog {...props} />}
      {open === 'answer' && <RecordAnswerDialog {...props} />}
      {open === 'decide' && <DecideDateDialog {...props} />}
    </>
  )
}
