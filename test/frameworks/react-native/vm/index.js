import './native'
import './globals'
import { checks } from './checks'

globalThis.run = async () => {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check()
      print(`@${JSON.stringify({ passed: name })}`)
    } catch (error) {
      print(`@${JSON.stringify({ failed: name, reason: String(error?.stack ?? error) })}`)
    }
  }
  print('@{"done":true}')
}
