import type { Price } from '../../../client/contract.gen.ts'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyCell } from '../../ui/table.tsx'

/** Shows where a price applies: in one community or everywhere, and for one plan or for all plans. */
export function AppliesTo({ communityId, planId }: Pick<Price, 'communityId' | 'planId'>) {
  return (
    <>
      {communityId === null ? <EmptyCell word="everywhere" /> : <RecordName of="community" id={communityId} />}
      {planId !== null && (
        <span className="sub">
          for <RecordName of="plan" id={planId} />
        </span>
      )}
    </>
  )
}
