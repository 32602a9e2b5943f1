import { toErrorMessage } from '../../api/error-message.ts'
import { TextField } from '../../ui/form.tsx'

/** Returns whether the service rejects a choice only because its deadline has passed. */
export function needsOverride(error: unknown): boolean {
  return error !== null && error !== undefined && toErrorMessage(error).problem?.reason === 'deadline_passed'
}

/** Asks for the reason for a choice after its deadline. */
export function OverrideField({ onChange }: { onChange(reason: string): void }) {
  return (
    <div onInput={(event) => event.target instanceof HTMLInputElement && onChange(event.target.value.trim())}>
      <TextField
        name="overrideReason"
        label="Reason for a change after the deadline"
        hint="Recorded in the history of the selection."
      />
    </div>
  )
}
