import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { changePunchItem } from '../day/actions.ts'
import { recordEntries } from '../day/field-store.ts'
import { useDay } from '../day/use-day.ts'
import { goBack } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'

/** Lets the user return a punch item to its vendor because the problem is not fixed. The vendor sees the reason. */
export function ReopenScreen({ itemId }: { itemId: string }) {
  const { day, findHome, findVendor } = useDay()
  const { isSaving, saveOnce } = useSaveOnce()
  const [reason, setReason] = useState('')
  const item = day.punchItems.find(({ id }) => id === itemId)
  const home = item === undefined ? undefined : findHome(item.homeId)
  if (item === undefined || home === undefined) return <NotInDay noun="punch item" />
  const vendor = findVendor(item.vendorId)
  const save = async () => {
    await recordEntries(changePunchItem(home, item, 'assigned', reason.trim()), `${item.number} reopened`)
    goBack()
  }
  return (
    <>
      <ScreenHead
        title={`${item.number} is not fixed`}
        place={`${home.name}, ${item.location ?? home.communityName}`}
      />
      <form
        className="pad stack"
        onSubmit={(event) => {
          event.preventDefault()
          saveOnce(save)
        }}
      >
        <p>{item.description}</p>
        <div className="field">
          <label htmlFor="reason">{vendor === undefined ? 'Reason' : `Reason (shown to ${vendor.companyName})`}</label>
          <textarea
            id="reason"
            className="input"
            rows={3}
            maxLength={1000}
            value={reason}
            onChange={({ currentTarget: { value } }) => setReason(value)}
          />
        </div>
        <div className="acts wide">
          <Button look="primary" type="submit" disabled={isSaving || reason.trim() === ''}>
            Reopen
          </Button>
        </div>
      </form>
    </>
  )
}
