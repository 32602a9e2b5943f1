import type { Selection } from '../../../client/contract.gen.ts'
import { useRecordName } from '../../api/record-names.ts'

/** Returns the name of a selection: that of its option, or the description of a custom item. */
export function useSelectionName({ optionId, customDescription }: Selection): string {
  const option = useRecordName('option', optionId ?? '').data
  return customDescription ?? option ?? 'the selection'
}
