import { buildsWithoutVariables, listsInChromium, saysWhatIsMissing } from '../site.ts'

buildsWithoutVariables()
listsInChromium() // three campaigns, two to a page
saysWhatIsMissing()
