import { AppRegistry } from 'react-native'
import { Links } from './Links'

AppRegistry.registerComponent('Shop', () => Links)
