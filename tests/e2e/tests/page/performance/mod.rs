mod gestures;
