import type { TaskLagUnit, TaskLinkType } from '../../../client/contract.gen.ts'
import { IconButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/form.tsx'
import { LAG_UNITS, LINK_TYPES } from './task-words.ts'

/** Shows the fields for the type and the lag of a link to a predecessor, and the button that removes the link. */
export function LinkFields(props: {
  link: { key: number; type: TaskLinkType; lagDays: number; lagUnit: TaskLagUnit }
  onType(type: TaskLinkType): void
  onRemove(): void
}) {
  const { key, type, lagDays, lagUnit } = props.link
  return (
    <>
      <SelectField
        name={`type-${key}`}
        label="Link"
        value={type}
        onChange={(value) => props.onType(value as TaskLinkType)}
        options={Object.entries(LINK_TYPES).map(([value, label]) => ({ value, label }))}
      />
      <TextField name={`lag-${key}`} label="Lag" defaultValue={lagDays} />
      <SelectField
        name={`unit-${key}`}
        label="Lag unit"
        defaultValue={lagUnit}
        options={Object.entries(LAG_UNITS).map(([value, label]) => ({ value, label }))}
      />
      <IconButton icon="x" label="Remove predecessor" look="quiet" onClick={props.onRemove} />
    </>
  )
}
