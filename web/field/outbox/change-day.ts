import type { FieldDay } from '../../../client/contract.gen.ts'
import type { DayChange } from './entry.ts'

/** Returns the day after the changes of an entry. */
export function changeDay(day: FieldDay, changes: readonly DayChange[]): FieldDay {
  return changes.reduce(applyChange, day)
}

function applyChange(day: FieldDay, change: DayChange): FieldDay {
  if (change.part === 'clock') return { ...day, clock: change.set }
  const records: readonly { id: string }[] = day[change.part]
  if ('remove' in change) return { ...day, [change.part]: records.filter(({ id }) => id !== change.remove) }
  if ('add' in change)
    return { ...day, [change.part]: [...records.filter(({ id }) => id !== change.add.id), change.add] }
  const changed = {
    ...day,
    [change.part]: records.map((record) => (record.id === change.id ? { ...record, ...change.set } : record)),
  }
  return change.part === 'tasks' && change.set.status === 'completed' ? releaseSuccessors(changed, change.id) : changed
}

/** Removes the completed task from the predecessors for which other tasks of the home wait. */
function releaseSuccessors(day: FieldDay, taskId: string): FieldDay {
  const done = day.tasks.find(({ id }) => id === taskId)
  if (done === undefined) return day
  return {
    ...day,
    tasks: day.tasks.map((task) =>
      task.homeId === done.homeId ? { ...task, waitsFor: task.waitsFor.filter((name) => name !== done.name) } : task,
    ),
  }
}

/** Returns the changes with the ID of an entry replaced by the ID of the record that the service created for it. */
export function replaceEntryId(changes: readonly DayChange[], entryId: string, recordId: string): DayChange[] {
  return changes.map((change) => {
    if ('add' in change && change.add.id === entryId)
      return { ...change, add: { ...change.add, id: recordId } } as DayChange
    if ('remove' in change && change.remove === entryId) return { ...change, remove: recordId }
    return 'id' in change && change.id === entryId ? { ...change, id: recordId } : change
  })
}
