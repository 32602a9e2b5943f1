import { useBlocker } from 'react-router'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DRAFT_DAYS } from '../ui/form-drafts.ts'
import { hasUnsavedForm, useHasUnsavedForm } from '../ui/unsaved-forms.ts'

/** Asks for confirmation before a link leaves a page with unsaved entries. */
export function LeaveWarning() {
  // The blocker exists only while needed. With a blocker, the router would also warn about pages in the history that it
  // did not open itself.
  return useHasUnsavedForm() ? <LeaveBlocker /> : null
}

function LeaveBlocker() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      // If the session has ended, the page cannot save the entries. After the user signs in again, they are filled in.
      hasUnsavedForm() && currentLocation.pathname !== nextLocation.pathname && nextLocation.pathname !== '/sign-in',
  )
  if (blocker.state !== 'blocked') return null
  return (
    <Dialog
      open
      onClose={blocker.reset}
      size="narrow"
      title="Leave without saving?"
      tail={
        <>
          <span className="push" />
          <Button onClick={blocker.proceed}>Leave page</Button>
          <Button look="primary" onClick={blocker.reset}>
            Stay on page
          </Button>
        </>
      }
    >
      <p>
        Your entries on this page are not saved yet. If you return within {DRAFT_DAYS} days, this browser fills them in
        again, except passwords, tax IDs, and files.
      </p>
    </Dialog>
  )
}
