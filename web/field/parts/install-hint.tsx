import { useState } from 'react'
import { Button } from '../../ui/button.tsx'

const DISMISSED_KEY = 'field install hint dismissed'

/**
 * Asks the user to add the page to the home screen. Otherwise, Safari deletes the data of the page if it is not opened
 * for a week.
 */
export function InstallHint() {
  const [isDismissed, setDismissed] = useState(localStorage.getItem(DISMISSED_KEY) !== null)
  if (isDismissed || matchMedia('(display-mode: standalone)').matches) return null
  const dismiss = () => {
    localStorage.setItem(DISMISSED_KEY, 'true')
    setDismissed(true)
  }
  return (
    <div className="ask">
      <span>
        Add this page to your home screen: in the menu of the browser, choose "Add to Home Screen". The phone then
        stores the page for work without a connection.
      </span>
      <Button onClick={dismiss}>Got it</Button>
    </div>
  )
}
